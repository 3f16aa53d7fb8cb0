import type { BufferBudget, Client } from '../../http/memory/buffer-budget.js';
import { ValueRoom } from '../../http/memory/value-room.js';
import type { RereadableBody } from '../../http/requests/bodies/rereadable-body.js';
import { createSharedSemaphores } from '../../lib/concurrency/semaphore.js';
import { runInSlices } from '../../lib/concurrency/time-slices.js';
import {
  type MatchReading,
  type QueryTarget,
  readingOf,
  scannedMatches,
  whenAdmitted,
} from '../by-query/find-matches.js';
import type { CoveredReading } from '../indexes/reading/covered-reading.js';
import type { Rows } from '../indexes/reading/row-source.js';
import { parseAttributePath } from '../items/attribute-path.js';
import { missing, PathTree, skipValue } from '../items/path-tree.js';
import { maxGroupBytes } from '../limits.js';
import { asked } from '../pages/choose-source.js';
import { matchesOf, type ReadCost } from '../pages/matches-of.js';
import { aggregateAnswer } from './aggregate-answer.js';
import type { AggregateRequest } from './aggregate-body.js';
import { type FieldTexts, Groups } from './groups.js';

/** Computes over all items that match (docs/http.md#aggregates). */
export interface Aggregates {
  /**
   * Resolves to the JSON of the answer. Waits for its turn, and ends early if the client closes the connection. What is
   * read is added to `cost`. Throws a 400 `RequestError` if there are too many groups.
   */
  compute(
    space: string,
    body: RereadableBody<AggregateRequest>,
    client: Client,
    cost: ReadCost,
  ): Promise<Buffer>;
}

export interface AggregateReading extends MatchReading {
  readonly covered: CoveredReading;
  /** Counts the memory of groups. */
  readonly values: BufferBudget;
}

/** The maximum number at once, of all projects and of one: each holds its groups. */
const atOnce = 4;
const ofProject = 2;

export function createAggregates(reading: AggregateReading): Aggregates {
  const slots = createSharedSemaphores(atOnce, ofProject);
  return {
    compute: (space, body, client, cost) =>
      whenAdmitted(slots(client.project), body, (request) =>
        computeIn(reading, { space, client }, request, cost),
      ),
  };
}

async function computeIn(
  reading: AggregateReading,
  target: QueryTarget,
  request: AggregateRequest,
  cost: ReadCost,
): Promise<Buffer> {
  const { values, pages, covered, indexed } = reading;
  const { query, fields } = request;
  const own = { ...readingOf(reading, target.client, (read) => pages.run(target.space, query, read)), cost };
  const wanted = asked({ ...query, order: undefined, readsAll: true }, own);

  /** Puts what a source gives into groups, whose memory is counted until the answer is written. */
  async function answerOf<Row>(
    batches: AsyncIterable<readonly Row[]>,
    textsOf: (row: Row) => FieldTexts,
  ): Promise<Buffer> {
    const room = new ValueRoom(values, target.client, true);
    try {
      const groups = new Groups(request, Math.min(maxGroupBytes, values.mostOfOne));
      for await (const batch of batches) await runInSlices(groups.add(batch, textsOf), room);
      return await runInSlices(aggregateAnswer(request, groups.all), room);
    } finally {
      room.release();
    }
  }

  const ofItems = (rows: Rows) => answerOf(rows, (row) => locate(row.text));
  const locate = locator(fields);
  const byEntries = await covered.use(target.space, wanted, fields, async ({ index, texts }) => {
    const answer = await answerOf(texts, (row) => row);
    cost.index = index;
    return answer;
  });
  if (byEntries !== undefined) return byEntries;
  // Which matches there are, and not only how many.
  const byIndex = await indexed.use(target.space, { ...wanted, readsAll: false }, async ({ index, rows }) => {
    const answer = await ofItems(matchesOf(rows(), query, own));
    cost.index = index;
    return answer;
  });
  return byIndex ?? (await ofItems(scannedMatches(reading, target, query, own)));
}

/** Makes the function that gives the JSON of an item's values at the paths. */
function locator(paths: readonly string[]): (item: string) => FieldTexts {
  if (paths.length === 0) return () => [];
  const tree = new PathTree();
  for (const path of paths) tree.add(parseAttributePath(path) as readonly string[]);
  return (item) => {
    const starts = tree.locate(item);
    return paths.map((_, index) => {
      const start = starts[index] ?? missing;
      return start === missing ? undefined : item.slice(start, skipValue(item, start));
    });
  };
}
