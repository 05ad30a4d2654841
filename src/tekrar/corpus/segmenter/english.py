"""English tables of the segmenter."""

from __future__ import annotations

from typing import Final

from .rules import Rules, table, words

_ABBREVIATIONS: Final = table(
    never=(
        "mr mrs ms messrs mme mlle dr prof rev hon lt lieut wm geo chas thos jas benj "
        "robt insp det ald pvt cpl adj atty sgt capt cpt maj cmdr adm brig gov sen supt pres "
        "e.g i.e eg ie cf viz vs ca approx esp incl resp trans tr repr orig mt ven fr msgr"
    ),
    before_number=(
        "no nos nr vol vols p pp pg pgs ch chap chaps sec sect fig figs art arts par para ver vv v eq eqs "
        "tab app bk ed eds l ll n nn fn f ff c jan feb mar apr jun jul aug sep sept oct nov dec "
        "gen ex exod lev num deut josh judg sam kgs chr chron neh est ps pss prov eccl isa jer lam ezek dan "
        "hos mic nah hab zeph hag zech mal matt mk lk jn rom cor gal eph phil col thess tim tit heb jas pet "
        "jude rev"
    ),
    starter=(
        "st jr sr ltd inc co corp bros dept univ assn ave blvd rd u.s u.k u.n d.c e.u u.s.a ph.d m.d b.a "
        "m.a b.sc m.sc a.m p.m pm b.c a.d b.c.e c.e ibid op.cit loc.cit esq hrs hr ft"
    ),
    final="etc al seq",
)

_CAPITAL_ABBREVIATIONS: Final = table(never="Gen Col Rev Hon Pres Rep Sen Gov", starter="Est")

_STARTERS: Final = words(
    "the a an this that these those it he she they we you i there here then and but or so yet for nor if "
    "when while where why what who whose whom which how after before since because although though however "
    "moreover thus therefore hence also in on at by from with to of as once now later soon finally first "
    "next no not nobody nothing none every everyone each all some someone many most few both his her its "
    "their our your my mine him them us me let do did does is are was were will would can could shall "
    "should may might must has have had having perhaps maybe meanwhile nevertheless nonetheless still such "
    "only even instead indeed yes until upon again another any anyone afterwards afterward today yesterday "
    "tomorrow tonight sometimes often never always usually during between among through under over above "
    "without within despite unless whereas whether lest behold therein people two three several other "
    "others one eventually suddenly unfortunately fortunately recently besides otherwise likewise rather "
    "thereafter thereupon whoever whatever nowhere everything something anything"
)

_SPEECH_VERBS: Final = words(
    "said says asked asks replied answered cried exclaimed shouted whispered murmured muttered called "
    "demanded inquired enquired repeated added continued insisted sighed laughed begged"
)

ENGLISH: Final = Rules(
    name="en",
    abbreviations=_ABBREVIATIONS,
    capital_abbreviations=_CAPITAL_ABBREVIATIONS,
    starters=_STARTERS,
    heading_cues=words(
        "chapter book part act scene section volume vol canto article lesson letter psalm table figure "
        "plate appendix"
    ),
    speech_verbs=_SPEECH_VERBS,
    roman_ordinals=True,
)
