import { whileValid } from '../../access/grant.js';
import { narrowedRange } from '../../access/scope.js';
import { linesAnswered } from '../../http/answers/answer.js';
import type { Call } from '../../http/requests/call.js';
import { inQuery, linesAnswer, operation } from '../../http/routing/operation.js';
import { badField } from '../../request-error.js';
import { keyProblem } from '../items/key.js';
import { StoredItem } from '../schemas.js';
import type { BaseServices } from '../service.js';

/** Its answer is sent while the items are read. */
export const exportItems = operation({
  method: 'GET',
  path: '/v1/{project}/{base}/items',
  access: 'read',
  names: 'narrowed',
  summary: 'Export items',
  parameters: [
    inQuery('prefix', 'Only items whose keys begin with this'),
    inQuery('last', 'Continue after this key, which need not exist'),
  ],
  answers: { 200: linesAnswer('Every item, one a line', StoredItem) },
  failures: [400],
  handle: (call, { bases }: BaseServices) => {
    const [prefix, last] = [readKeyText(call, 'prefix'), readKeyText(call, 'last')];
    const range = narrowedRange(call.grant, last === '' ? { prefix } : { prefix, gt: last });
    const items = bases.exportItems(call.project, call.name, range);
    return linesAnswered(whileValid(call, items));
  },
});

/** Reads a parameter that is a key or the beginning of one; empty if it is absent. Throws a 400 `RequestError`. */
function readKeyText(call: Call, parameter: string): string {
  const text = call.query.get(parameter) ?? '';
  const problem = text === '' ? undefined : keyProblem(text);
  if (problem !== undefined) throw badField(parameter, problem.code, problem.rule);
  return text;
}
