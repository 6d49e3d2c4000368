"""All cases, by name."""

from tests.differential.case import cases_in
from tests.differential.cases import (
    alternatives,
    arguments,
    asking,
    conditions,
    feedback,
    inheritance,
    joins,
    order,
    pausing,
    random_graphs,
    restoring,
    results,
    resuming,
    reviews_in_graphs,
    routing,
    saving,
    shape,
    starts,
    state,
    streams,
    words,
)

GRAPH = (conditions, shape, inheritance)
RUNNING = (starts, order, arguments, joins, alternatives, routing, results)
KEEPING = (state, saving, restoring)
PEOPLE = (feedback, words, reviews_in_graphs, pausing, resuming, asking)

CASES = cases_in((*GRAPH, *RUNNING, *KEEPING, *PEOPLE, streams), random_graphs.GRAPHS)
