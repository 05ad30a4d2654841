"""Turkish tables of the segmenter, modern and Ottoman-style prose."""

from __future__ import annotations

from typing import Final

from .rules import Rules, table

_ABBREVIATIONS: Final = table(
    never=(
        "hz haz dr prof doç öğr gör arş uzm op bkz bknz krş karş yrd müh alb bnb yzb tğm üstğm org korg tümg "
        "tuğg tuğa mr mrs ms st çev haz yay yayl ed der red ter trc nşr neşr thk şrh telif hzl "
        "m.ö m.s i.ö i.s mö ms örn msl yun lat fr ing alm osm esk mec fel muh ank "
        "gnkur kur.bşk bşk bşb"
    ),
    before_number=(
        "s ss sf sh syf c cl ct no nr nu num md mad fık böl kıs par prg bab cüz ayt hds lev res şek tab rk "
        "sy say sn dk sa tel faks fax oca şub nis ağu eyl eki kas ara h m r v vr vrk yk n p pp vol d"
    ),
    starter=(
        "a.s s.a s.a.v s.a.v.s s.a.s a.s.m a.s.v r.a r.anh r.h r.aleyh k.s k.s.a k.v c.c c.h ks as.v "
        "t.c a.ş ltd şti a.b.d m.e.b yy a.g.e a.g.m a.g.y a.e a.mlf age agm agy mlf aynı.yer a.y inc co "
        "üniv fak enst ens müd bak.lığı gen.md mah cad cd sk sok blv apt"
    ),
    final="vb vs vd v.b v.s v.d vdğ vbg vesr vds vr.dğr ve.b ve.d ilh ila.ah etc",
)

_CAPITAL_ABBREVIATIONS: Final = table(
    never="Av Sn Ecz Vet Ord Yard Gen Bşk Mim Opr İst Ank Muh Kont Alm Lat Far Arp Bak Ür Mal",
    starter="Sok Cad Mah Blv Bul",
)

_STARTERS: Final = frozenset(
    (
        "sonra ve fakat ama ancak lâkin lakin velâkin bu o şu bunlar onlar şunlar biz ben sen siz hem eğer "
        "çünkü çünki zira zîra demek işte evet hayır böylece nihayet nihâyet ardından daha bundan bunun bunu "
        "buna bunda bunlardan onun onu ona onda ondan yine gene artık oysa oysaki halbuki hâlbuki hal madem "
        "mademki acaba her bir hiç hiçbir ey elbette belki bazı bâzı bütün sanki ne niçin neden nasıl kim "
        "kimse şimdi önce evvelâ evvela derken mesela meselâ öyle böyle şöyle ayrıca üstelik dolayısıyla "
        "yoksa ya yani yâni hatta hattâ gerçi galiba herhalde herkes hangi nerede nereye meğer öyleyse "
        "öyleki keza kezâ bilakis aksine gel gelin bak bakın dedi dedim dediler sordu eski yeni üç iki burada "
        "orada şurada bugün dün yarın birden birdenbire derhal hemen ertesi o'nun bilhassa özellikle "
        "binaenaleyh binâenaleyh mamafih şayet"
    ).split()
)

# After these a number is a count or an address, so its full stop is a real one: `sayfa 45. Müellif`.
_CARDINAL_CUES: Final = frozenset(
    (
        "s ss sf sh c no nr md sayfa sahife cilt madde numara numarası sayısı saat yıl yılı sene senesi "
        "ayet âyet sure sûre hadis bab toplam yaklaşık tam yaşı nüshası adedi adet tel telefon oda kapı"
    ).split()
)

TURKISH: Final = Rules(
    name="tr",
    abbreviations=_ABBREVIATIONS,
    capital_abbreviations=_CAPITAL_ABBREVIATIONS,
    starters=_STARTERS,
    cardinal_cues=_CARDINAL_CUES,
    ordinal_digits=3,
    roman_ordinals=True,
    dotted_capitals=True,
)
