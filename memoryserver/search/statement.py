"""The SQL statement of search: a lexical and a semantic ranking of a scope, and their fusion.

`scope` holds the records that may be found: visible to the user and matching every filter.

The lexical ranking is BM25 over the scope, since Postgres' own ranking ignores how rare a word is:

    idf  = ln(1 + (records - document_count + 0.5) / (document_count + 0.5))
    bm25 = sum over the matching terms of idf * frequency * (k1 + 1) / (frequency + k1 * norm)
    norm = 1 - b + b * length / average_length

`frequency` is computed from ts_rank, which for a single word is a tenth of 1 + 1/4 + 1/9 + ... over its occurrences,
divided by pi^2/6. The remainder of that sum after n terms is close to 1 / (n + 1/2), so rounding returns n exactly.

How much of the query a text covers is

    share = min(sum of idf of the matching terms / sum of idf of the query's `top_terms` rarest terms, 1)

The denominator has only the rarest terms, since no text has every word of a long query. A term that no text has counts
there with `missing_term_weight`: it does not distinguish between texts.

`asked` is the query's word that a lexeme comes from, and `words` are those that a text has, the rarest first.

In a large scope (`plan`) the texts that are ranked by words are those that have a `rare` word or all others `together`,
each up to a limit, or are near by meaning. For a lexeme that leads to no texts of its own, document_count is the
estimate in `counts`.

An entry is in several collections: in each ranking it is represented by its best record.

The rankings are fused by reciprocal rank, weighted by evidence:

    score = cosine / best cosine / (fusion + semantic rank)
          + max((share - evidence_floor) / (1 - evidence_floor), 0) / (fusion + lexical rank)

Without these weights, a text that shares one common word with the query would count as much as one that has all its
characteristic words, and displace semantic matches (docs/search.md has the measurements).
"""

from __future__ import annotations

SQL = """
WITH scope AS NOT MATERIALIZED ({scope}),
term AS MATERIALIZED (
    SELECT lexeme, min(asked) AS asked, quote_literal(lexeme)::tsquery AS word, coalesce(max(documents), 0) AS documents
    FROM unnest(%(terms)s::text[]) AS asked, unnest(to_tsvector('english', asked))
        LEFT JOIN unnest(%(lexemes)s::text[], %(counts)s::bigint[]) AS counted(lexeme, documents) USING (lexeme)
    WHERE %(by_words)s GROUP BY lexeme
),
near AS ({near}),
corpus AS MATERIALIZED ({corpus}),
candidate AS ({candidate}),
matches AS MATERIALIZED (
    SELECT candidate.id, candidate.user_id, candidate.key, term.lexeme, term.asked, candidate.length,
        round(1 / (1.6449340668482264 * (1 - 10 * ts_rank(candidate.words, term.word)::float8)) - 0.5) AS frequency
    FROM term JOIN candidate ON candidate.words @@ term.word
),
weighted_term AS MATERIALIZED (
    SELECT lexeme, idf, sum(counted_idf) FILTER (WHERE idf_rank <= %(top_terms)s) OVER () AS top_idf FROM (
        SELECT *, row_number() OVER (ORDER BY counted_idf DESC, lexeme) AS idf_rank FROM (
            SELECT lexeme, idf, idf * CASE WHEN document_count = 0 THEN %(missing_term_weight)s ELSE 1 END
                AS counted_idf
            FROM (
                SELECT lexeme, document_count,
                    ln(1 + (records - document_count + 0.5) / (document_count + 0.5))::float8 AS idf
                FROM corpus, (
                    SELECT lexeme, greatest(count(matches.id), max(documents)) AS document_count
                    FROM term LEFT JOIN matches USING (lexeme) GROUP BY lexeme
                ) AS document_counts
            ) AS idfs
        ) AS counted_idfs
    ) AS ranked_idfs
),
scored AS (
    SELECT id, user_id, key, least(sum(idf) / max(top_idf), 1) AS share,
        array_agg(asked ORDER BY idf DESC, asked) AS words,
        sum(idf * frequency * (%(k1)s + 1)
            / (frequency + %(k1)s * (1 - %(b)s + %(b)s * length / average_length::float8))) AS bm25
    FROM matches JOIN weighted_term USING (lexeme), corpus
    GROUP BY id, user_id, key
),
lexical AS (
    SELECT id, user_id, key, share, words, row_number() OVER (ORDER BY bm25 DESC, id) AS rank FROM (
        SELECT DISTINCT ON (user_id, key) * FROM scored ORDER BY user_id, key, bm25 DESC, id
    ) AS best ORDER BY rank LIMIT %(candidates)s
),
semantic AS (
    SELECT id, user_id, key, distance, row_number() OVER (ORDER BY distance, id) AS rank,
        min(distance) OVER () AS nearest
    FROM (
        SELECT * FROM {best} AS best ORDER BY distance, id LIMIT %(candidates)s
    ) AS nearest
),
fused AS (
    SELECT semantic.id AS semantic_id, lexical.id AS lexical_id, semantic.rank AS semantic_rank,
        lexical.rank AS lexical_rank, 1 - semantic.distance AS cosine, lexical.share, lexical.words,
        coalesce({semantic_weight} / (%(fusion)s + semantic.rank), 0) AS semantic_score,
        coalesce({lexical_weight} / (%(fusion)s + lexical.rank), 0) AS lexical_score
    FROM semantic FULL JOIN lexical USING (user_id, key)
)
SELECT id, record.user_id, record.collection, record.key, record.terms, score::float8, semantic_rank,
    lexical_rank, cosine, coalesce(share, 0)::float8, coalesce(best.words, '{{}}'), record.created_at,
    {codes}
FROM (
    SELECT coalesce(CASE WHEN lexical_score > semantic_score THEN lexical_id ELSE semantic_id END, lexical_id) AS id,
        semantic_score + lexical_score AS score, semantic_rank, lexical_rank, cosine, share, words
    FROM fused ORDER BY score DESC, coalesce(semantic_rank, lexical_rank), id LIMIT %(candidates)s
) AS best JOIN vectors_record AS record USING (id)
ORDER BY score DESC, coalesce(semantic_rank, lexical_rank), id
"""

# The token codes of the first results, if they are of the query's model.
CODES = """
    CASE WHEN row_number() OVER (ORDER BY score DESC, coalesce(semantic_rank, lexical_rank), id) <= %(with_codes)s
        AND record.collection = ANY(%(compared)s) THEN (SELECT codes FROM vectors_tokencodes WHERE record_id = id) END
"""
NO_CODES = "NULL"

# What is in several collections is represented by its nearest record; in one collection there is nothing twice.
BEST_OF_SEVERAL = "(SELECT DISTINCT ON (user_id, key) * FROM near ORDER BY user_id, key, distance, id)"
BEST_OF_ONE = "near"

# All records are counted, and all may match.
WHOLE_CORPUS = "SELECT count(*) AS records, avg(length) AS average_length FROM scope WHERE EXISTS (SELECT 1 FROM term)"
WHOLE_SCOPE = "SELECT id, user_id, key, words, length FROM scope"

# What was counted before.
KNOWN_CORPUS = "SELECT %(records)s::bigint AS records, %(average_length)s::float8 AS average_length"

# In a large scope: the estimated number of records, and the average length of a part of them.
ESTIMATED_CORPUS = """
    SELECT %(records)s::bigint AS records, avg(length) AS average_length
    FROM (SELECT length FROM scope LIMIT %(sample)s) AS part
"""
PROBED = """
    WITH probed AS MATERIALIZED ({probes})
    SELECT * FROM probed
    UNION ALL
    SELECT id, user_id, key, words, length FROM scope
    WHERE id IN (SELECT id FROM near) AND id NOT IN (SELECT id FROM probed)
"""
RARE = "(SELECT id, user_id, key, words, length FROM scope WHERE words @@ %(rare)s::tsquery LIMIT %(word_rows)s)"
TOGETHER = """
    (SELECT id, user_id, key, words, length FROM scope
    WHERE words @@ %(together)s::tsquery AND NOT words @@ %(rare)s::tsquery LIMIT %(word_rows)s)
"""

# Weight of a single ranking: its order is the result's.
UNWEIGHTED = "1.0::float8"
COSINE = "CASE WHEN semantic.distance < 1 THEN (1 - semantic.distance) / (1 - semantic.nearest) ELSE 0 END"
EVIDENCE = "greatest((lexical.share - %(evidence_floor)s) / (1 - %(evidence_floor)s), 0)"

# `+ 0` makes the planner rank the scope exactly: an approximate index would silently leave out rows under a filter.
# The collection's model is checked again here, in the statement's own snapshot, since it may have changed meanwhile.
NEAR_EXACTLY = """
    SELECT id, user_id, key, (embedding <=> %(vector)s::vector) + 0 AS distance FROM scope
    WHERE collection = ANY(ARRAY(
        SELECT name FROM vectors_collection
        WHERE name = ANY(%(exact)s) AND model = %(model)s AND dimension = %(dimension)s
    )) AND embedding IS NOT NULL ORDER BY distance, id LIMIT %(axes)s * %(candidates)s
"""

# The index holds half-precision vectors; its results are ordered by the full vectors. `scope` stands for its text, so
# that the index, which is partial on the collection, serves it.
NEAR_BY_INDEX = """
    SELECT id, user_id, key, (embedding <=> %(vector)s::vector) + 0 AS distance FROM (
        SELECT id, user_id, key, embedding FROM scope
        WHERE collection = {name} AND embedding IS NOT NULL AND EXISTS (
            SELECT 1 FROM vectors_collection AS c
            WHERE c.name = {name} AND c.model = %(model)s AND c.dimension = %(dimension)s
        ) ORDER BY embedding::halfvec({dimension}) <=> %(vector)s::halfvec({dimension})
        LIMIT %(candidates)s
    ) AS nearest
"""

NEAR_NOTHING = "SELECT id, user_id, key, 0::float8 AS distance FROM scope WHERE false"
