"""Turkish tables of the segmenter, modern and Ottoman-style prose."""

from __future__ import annotations

from typing import Final

from .rules import Rules, table, words

_ABBREVIATIONS: Final = table(
    never=(
        "hz dr prof doç öğr uzm op bkz bknz krş karş yrd müh alb bnb yzb tğm üstğm org korg tümg tuğg tuğa "
        "mr mrs ms st çev yayl trc nşr neşr thk şrh hzl m.ö m.s i.ö i.s mö ms örn msl yun ing osm bşk ecz"
    ),
    before_number=(
        "s ss sf sh syf c cl ct no nr nu num md fık böl kıs prg cüz ayt hds lev res şek tab rk sy sn dk tel "
        "faks oca şub nis ağu eyl eki kas ara h m r v vr vrk yk n p pp vol d"
    ),
    starter=(
        "a.s s.a s.a.v s.a.v.s s.a.s a.s.m a.s.v r.a r.anh r.h r.aleyh k.s k.s.a k.v c.c c.h t.c ltd "
        "a.b.d m.e.b yy mlf inc co üniv fak enst müd mah cad cd blv"
    ),
    final="vb vs vd v.b v.s v.d vdğ vbg vesr vds ilh etc a.ş şti a.g.e a.g.m a.g.y age agm agy",
)

_CAPITAL_ABBREVIATIONS: Final = table(
    never="Av Sn Vet Ord Gen Mim Opr İst Ank Haz Yay Gör Lat Alm Fr Muh",
    starter="Sok Arş Ens Red",
)

_STARTERS: Final = words(
    "sonra ve fakat ama ancak lâkin lakin velâkin bu o şu bunlar onlar şunlar biz ben sen siz hem eğer "
    "çünkü çünki zira zîra demek işte evet hayır böylece nihayet nihâyet ardından daha bundan bunun bunu "
    "buna bunda bunlardan onun onu ona onda ondan yine gene artık oysa oysaki halbuki hâlbuki hal madem "
    "mademki acaba her bir hiç hiçbir ey elbette belki bazı bâzı bütün sanki ne niçin neden nasıl kim "
    "kimse şimdi önce evvelâ evvela derken mesela meselâ öyle böyle şöyle ayrıca üstelik dolayısıyla "
    "yoksa ya yani yâni hatta hattâ gerçi galiba herhalde herkes hangi nerede nereye meğer öyleyse "
    "öyleki keza kezâ bilakis aksine gel gelin bak bakın dedi dedim dediler sordu burada "
    "orada şurada bugün dün yarın birden birdenbire derhal hemen ertesi bilhassa özellikle "
    "binaenaleyh binâenaleyh mamafih şayet "
    "onların onlara onları onlardan bunların bunları bunlara bunlarda bununla onunla senin benim bizim sizin "
    "size bize sana bana beni seni bizi sizi benden senden bizden sizden kendi kendisi kendisine kendileri "
    "yalnız güya âdeta adeta zaten zâten şüphesiz esasen nitekim şimdilik şimdiye başka bazen bâzen biri "
    "birisi birkaç birçok pek en gayet tâ yahut veyahut veya dahası üstüne kısacası sözün özetle hülâsa "
    "hülâsaten netice neticede sonuçta sonunda başta evvelce bâhusus hususan ezcümle hakikaten gerçekten "
    "maatteessüf mamafih çendan herhangi değil var yok kaç kimi hep hepsi aynı diğer diğeri öteki öbür "
    "insan insanlar insanın tekrar daima dâima doğrusu bence sence umumen akşam sabah sabahleyin gece "
    "geceleyin geçen böylelikle zamanla önceleri eskiden ilerde ileride biraz sonraki sonradan"
)

# After these a number is a count or an address, so its full stop is a real one: `sayfa 45. Müellif`.
_CARDINAL_CUES: Final = words(
    "s ss sf sh c no nr md sayfa sahife cilt madde numara numarası sayısı saat yıl yılı sene senesi "
    "ayet âyet sure sûre hadis bab toplam yaklaşık tam yaşı nüshası adedi adet tel telefon oda kapı "
    "yüzde yaş sayı toplamı puan puanı notu nüfusu katı kodu plaka daire derece sıcaklık ağırlığı boyu "
    "fiyatı tutarı bedeli ücreti miktarı oranı sıra sırası numaralı"
)

_HEADING_CUES: Final = words("bölüm kısım cilt fasıl bab ders madde sayfa sûre sure levha tablo şekil ek")

# Arabic words in a Turkish paragraph: "and so on".
_CONTINUATIONS: Final = words("الخ إلخ الآخره الخره")

TURKISH: Final = Rules(
    name="tr",
    abbreviations=_ABBREVIATIONS,
    capital_abbreviations=_CAPITAL_ABBREVIATIONS,
    starters=_STARTERS,
    cardinal_cues=_CARDINAL_CUES,
    heading_cues=_HEADING_CUES,
    letter_words=words("o"),
    continuations=_CONTINUATIONS,
    ordinal_digits=3,
    roman_ordinals=True,
    dotted_capitals=True,
)
