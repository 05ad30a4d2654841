"""The language of a text release: one canonical BCP 47 tag (contracts C1, C8, C9).

Serves ADR-009 *Initial F6 scope policy*: the scope policy follows the primary language subtag and the tag
lies in the release's identity, so one language must have one spelling. `TR` and `tr` are one; `tur` is
refused, because BCP 47 writes a language with its two-letter code where it has one.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

from tekrar.errors import UsageError

#: Codes of ISO 639-2, terminological and bibliographic, of the languages that have a code in ISO 639-1.
_TWO_LETTERS: Final = dict(
    pair.split("/")
    for pair in """
    aar/aa abk/ab afr/af aka/ak alb/sq amh/am ara/ar arg/an arm/hy asm/as ava/av ave/ae aym/ay
    aze/az bak/ba bam/bm baq/eu bel/be ben/bn bih/bh bis/bi bod/bo bos/bs bre/br bul/bg bur/my
    cat/ca ces/cs cha/ch che/ce chi/zh chu/cu chv/cv cor/kw cos/co cre/cr cym/cy cze/cs dan/da
    deu/de div/dv dut/nl dzo/dz ell/el eng/en epo/eo est/et eus/eu ewe/ee fao/fo fas/fa fij/fj
    fin/fi fra/fr fre/fr fry/fy ful/ff geo/ka ger/de gla/gd gle/ga glg/gl glv/gv gre/el grn/gn
    guj/gu hat/ht hau/ha heb/he her/hz hin/hi hmo/ho hrv/hr hun/hu hye/hy ibo/ig ice/is ido/io
    iii/ii iku/iu ile/ie ina/ia ind/id ipk/ik isl/is ita/it jav/jv jpn/ja kal/kl kan/kn kas/ks
    kat/ka kau/kr kaz/kk khm/km kik/ki kin/rw kir/ky kom/kv kon/kg kor/ko kua/kj kur/ku lao/lo
    lat/la lav/lv lim/li lin/ln lit/lt ltz/lb lub/lu lug/lg mac/mk mah/mh mal/ml mao/mi mar/mr
    may/ms mkd/mk mlg/mg mlt/mt mon/mn mri/mi msa/ms mya/my nau/na nav/nv nbl/nr nde/nd ndo/ng
    nep/ne nld/nl nno/nn nob/nb nor/no nya/ny oci/oc oji/oj ori/or orm/om oss/os pan/pa per/fa
    pli/pi pol/pl por/pt pus/ps que/qu roh/rm ron/ro rum/ro run/rn rus/ru sag/sg san/sa sin/si
    slk/sk slo/sk slv/sl sme/se smo/sm sna/sn snd/sd som/so sot/st spa/es sqi/sq srd/sc srp/sr
    ssw/ss sun/su swa/sw swe/sv tah/ty tam/ta tat/tt tel/te tgk/tg tgl/tl tha/th tib/bo tir/ti
    ton/to tsn/tn tso/ts tuk/tk tur/tr twi/tw uig/ug ukr/uk urd/ur uzb/uz ven/ve vie/vi vol/vo
    wel/cy wln/wa wol/wo xho/xh yid/yi yor/yo zha/za zho/zh zul/zu
    """.split()
)

#: RFC 5646, section 2.1, `langtag`, over small letters; the order of the parts is fixed.
_TAG: Final = re.compile(
    r"""
    (?P<language>[a-z]{2,3}(?P<extended>(?:-[a-z]{3}){0,3}) | [a-z]{4,8})
    (?:-(?P<script>[a-z]{4}))?
    (?:-(?P<region>[a-z]{2}|[0-9]{3}))?
    (?P<variants>(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)
    (?P<extensions>(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*)
    (?P<private>(?:-x(?:-[a-z0-9]{1,8})+)?)
    """,
    re.VERBOSE,
)
_EXTENSION: Final = re.compile(r"-[0-9a-wyz](?:-[a-z0-9]{2,8})+")
_MEND: Final = "give --language as a BCP 47 tag"


def canonical_language(tag: str) -> str:
    """A BCP 47 language tag in its one spelling: `TR-latn-tr` gives `tr-Latn-TR`.

    Syntax and letter case are those of RFC 5646, extensions stand in the order of their letters. Subtags are
    not looked up in the registry. The primary one must have two or three letters, and two where the language
    has a two-letter code.

    Raises:
        UsageError: the tag is malformed, or its primary subtag is `und`, longer than any registered one, or
            the three-letter code of a language that has one of two letters; the mend says what to write.
    """
    found = _TAG.fullmatch(tag.lower()) if tag.isascii() else None
    if found is None:
        hyphened = tag.replace("_", "-")
        known = hyphened != tag and hyphened.isascii() and _TAG.fullmatch(hyphened.lower())
        _refuse(tag, f"write {hyphened}" if known else _MEND)
    primary = found["language"].split("-")[0]
    if primary == "und":
        _refuse(tag, f"{_MEND}; `und` has no scope policy")
    if len(primary) > 3:
        _refuse(tag, "write the language's code of two or three letters, such as tr for Turkish")
    short = _TWO_LETTERS.get(primary)
    if short is not None:
        _refuse(tag, f"write {short + tag[len(primary) :]}")
    variants = found["variants"].split("-")[1:]
    extensions = sorted(_EXTENSION.findall(found["extensions"]))
    if len(set(variants)) < len(variants) or len({part[1] for part in extensions}) < len(extensions):
        _refuse(tag, "write each variant and each extension once")
    parts = [
        found["language"],
        (found["script"] or "").title(),
        (found["region"] or "").upper(),
        *variants,
    ]
    return "-".join(part for part in parts if part) + "".join(extensions) + found["private"]


def _refuse(tag: str, mend: str) -> NoReturn:
    shown = tag if len(tag) <= 80 else tag[:77] + "..."
    raise UsageError(
        f"{shown!a} names no language",
        expected="a BCP 47 tag such as tr, en-GB or ar-Arab",
        mend=mend,
        kind="bad_language",
    )
