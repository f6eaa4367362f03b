"""The SQL statement of search: two rankings of a scope, and their fusion."""

from __future__ import annotations

# `scope` holds what may be found, by who may see it and by every filter.
#
# Words are weighed by BM25, since Postgres' own ranking knows nothing of how rare a word is. ts_rank of a single
# word is a tenth of 1 + 1/4 + 1/9 + ... over its occurrences, divided by pi^2/6; the sum's rest after n of them is
# near 1 / (n + 1/2), and rounding gives back n exactly. Rarity and the usual length are those of the scope itself.
#
# `share` is how much of the question a text holds: the rarity of the words it has, by that of the question's few
# rarest, since nobody's text has every word of a long question. There a word that nobody's text has counts less: it
# says that something is missing, but not from which text.
#
# An entry is in several collections: in each ranking its best record stands for it.
#
# The rankings are fused by reciprocal rank, each rank weighed by the evidence behind it: the cosine by the best one's,
# and `share` above a floor. Unweighed, a text that shares one common word with the question would count as
# much as one that has all its telling words, and drown what was found by meaning (docs/search.md has the measurements).
SQL = """
WITH scope AS NOT MATERIALIZED ({scope}),
term AS MATERIALIZED (
    SELECT lexeme, quote_literal(lexeme)::tsquery AS word
    FROM unnest(to_tsvector('english', %(terms)s)) WHERE %(by_words)s
),
size AS MATERIALIZED (
    SELECT count(*) AS records, avg(length) AS usual FROM scope WHERE EXISTS (SELECT 1 FROM term)
),
met AS MATERIALIZED (
    SELECT scope.id, scope.user_id, scope.key, term.lexeme, scope.length,
        round(1 / (1.6449340668482264 * (1 - 10 * ts_rank(scope.words, term.word)::float8)) - 0.5) AS often
    FROM term JOIN scope ON scope.words @@ term.word
),
rarity AS MATERIALIZED (
    SELECT lexeme, weight, sum(asked) FILTER (WHERE place <= %(telling)s) OVER () AS whole FROM (
        SELECT *, row_number() OVER (ORDER BY asked DESC, lexeme) AS place FROM (
            SELECT lexeme, weight, weight * CASE WHEN met_by = 0 THEN %(unmet)s ELSE 1 END AS asked FROM (
                SELECT lexeme, met_by, ln(1 + (records - met_by + 0.5) / (met_by + 0.5))::float8 AS weight
                FROM size, (
                    SELECT lexeme, count(met.id) AS met_by FROM term LEFT JOIN met USING (lexeme) GROUP BY lexeme
                ) AS counted
            ) AS weights
        ) AS wanted
    ) AS placed
),
weighed AS (
    SELECT id, user_id, key, least(sum(weight) / max(whole), 1) AS share,
        sum(weight * often * (%(k1)s + 1) / (often + %(k1)s * (1 - %(b)s + %(b)s * length / usual::float8))) AS weight
    FROM met JOIN rarity USING (lexeme), size
    GROUP BY id, user_id, key
),
lexical AS (
    SELECT id, user_id, key, share, row_number() OVER (ORDER BY weight DESC, id) AS rank FROM (
        SELECT DISTINCT ON (user_id, key) * FROM weighed ORDER BY user_id, key, weight DESC, id
    ) AS best ORDER BY rank LIMIT %(candidates)s
),
near AS ({near}),
semantic AS (
    SELECT id, user_id, key, distance, row_number() OVER (ORDER BY distance, id) AS rank,
        min(distance) OVER () AS nearest
    FROM (
        SELECT DISTINCT ON (user_id, key) * FROM near ORDER BY user_id, key, distance, id
    ) AS best ORDER BY rank LIMIT %(candidates)s
),
counted AS (
    SELECT semantic.id AS semantic_id, lexical.id AS lexical_id, semantic.rank AS semantic_rank,
        lexical.rank AS lexical_rank,
        coalesce({semantic_weight} / (%(fusion)s + semantic.rank), 0) AS by_meaning,
        coalesce({lexical_weight} / (%(fusion)s + lexical.rank), 0) AS by_words
    FROM semantic FULL JOIN lexical USING (user_id, key)
)
SELECT coalesce(CASE WHEN by_words > by_meaning THEN lexical_id ELSE semantic_id END, lexical_id) AS id,
    by_meaning + by_words AS score, semantic_rank, lexical_rank
FROM counted ORDER BY score DESC, coalesce(semantic_rank, lexical_rank), id LIMIT %(candidates)s
"""

# With one ranking there is nothing to weigh: its order is the answer's.
ALONE = "1.0::float8"
COSINE = "CASE WHEN semantic.distance < 1 THEN (1 - semantic.distance) / (1 - semantic.nearest) ELSE 0 END"
SHARE = "greatest((lexical.share - %(floor)s) / (1 - %(floor)s), 0)"

# `+ 0` has the planner rank the scope exactly: an approximate index would silently leave out rows under a filter.
# That the collection is of the question's model is asked once more here, in the statement's own snapshot: it may have
# been switched since.
NEAR_EXACTLY = """
    SELECT id, user_id, key, (embedding <=> %(vector)s::vector) + 0 AS distance FROM scope
    WHERE collection = ANY(ARRAY(
        SELECT name FROM vectors_collection
        WHERE name = ANY(%(exact)s) AND model = %(model)s AND dimension = %(dimension)s
    )) AND embedding IS NOT NULL ORDER BY distance, id LIMIT %(axes)s * %(candidates)s
"""

# The index keeps halves; what it brings is put in order by the vectors themselves.
NEAR_BY_INDEX = """
    SELECT id, user_id, key, (embedding <=> %(vector)s::vector) + 0 AS distance FROM (
        {scope} AND EXISTS (
            SELECT 1 FROM vectors_collection AS c
            WHERE c.name = {name} AND c.model = %(model)s AND c.dimension = %(dimension)s
        ) ORDER BY (vectors_record.embedding::halfvec({dimension})) <=> %(vector)s::halfvec({dimension})
        LIMIT %(candidates)s
    ) AS {alias}
"""

NEAR_NOTHING = "SELECT id, user_id, key, 0::float8 AS distance FROM scope WHERE false"
