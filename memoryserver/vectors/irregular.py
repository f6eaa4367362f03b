"""Irregular forms of English words, which a stemmer cannot reduce to their base."""

from __future__ import annotations

# The base comes first. Forms that are common words themselves (lay, bore, ground, lives, people) are left out.
_WORDS = (
    "arise arose arisen|awake awoke awoken|beat beaten|become became|begin began begun|bend bent|"
    "bite bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|"
    "burn burnt|buy bought|catch caught|choose chose chosen|cling clung|come came|creep crept|deal dealt|"
    "dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|"
    "fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|"
    "forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|"
    "get got gotten|give gave given|go went gone|grow grew grown|hang hung|hear heard|hide hid hidden|"
    "hold held|keep kept|kneel knelt|know knew known|lay laid|lead led|leap leapt|learn learnt|leave left|"
    "lend lent|lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung|"
    "rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|sew sewn|shake shook shaken|"
    "shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|"
    "slide slid|speak spoke spoken|spend spent|spin spun|spit spat|stand stood|steal stole stolen|stick stuck|"
    "sting stung|strike struck stricken|swear swore sworn|sweep swept|swim swam swum|swing swung|"
    "take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|"
    "understand understood|wake woke woken|wear wore worn|weave wove woven|weep wept|win won|"
    "write wrote written|child children|foot feet|tooth teeth|mouse mice|goose geese|woman women|knife knives|"
    "wife wives|half halves|leaf leaves|shelf shelves|wolf wolves|thief thieves|loaf loaves|index indices|"
    "vertex vertices|matrix matrices|criterion criteria|hypothesis hypotheses|analysis analyses"
)

BASES = {form: base for base, *forms in map(str.split, _WORDS.split("|")) for form in forms}
"""The base of each irregular form, both in lower case."""
