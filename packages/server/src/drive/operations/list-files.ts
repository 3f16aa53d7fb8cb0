import { jsonText } from '../../http/answers/answer.js';
import { booleanText, readBoolean } from '../../http/parameters/boolean-parameter.js';
import { namesPage, pageAnswer, readNamePart, readNamesPage } from '../../http/parameters/paging.js';
import type { Call } from '../../http/requests/call.js';
import { inQuery, operation } from '../../http/routing/operation.js';
import { list, oneOf, optional, text } from '../../json/schema.js';
import { badField } from '../../request-error.js';
import type { ListPage } from '../files/list-names.js';
import { type OrderName, orderNames } from '../files/list-order.js';
import type { OrderedListQuery } from '../files/ordered-list.js';
import { FileDetails } from '../schemas.js';
import type { DriveServices } from '../service.js';

export const listFiles = operation({
  method: 'GET',
  path: '/v1/{project}/{drive}/files',
  access: 'read',
  names: 'narrowed',
  summary: 'List files',
  parameters: [
    ...namesPage.parameters,
    inQuery('recursive', '`false`: cut names after the first `/` after the prefix', booleanText),
    inQuery('details', '`true`: size, type, time and ETag too', booleanText),
    inQuery('order', 'By what to order; `-`: downwards', oneOf(...orderNames, '')),
    inQuery('folders', '`true`: the markers of folders in place of files', booleanText),
    inQuery('contains', 'Only names that contain this after the prefix'),
  ],
  answers: {
    200: pageAnswer('A page of names', {
      names: list(text),
      files: optional(
        list(FileDetails, {
          description: 'Present only with `details=true`: the same names in the same order',
        }),
      ),
    }),
  },
  failures: [400],
  // Drives are never created or deleted, so an unknown drive is an empty one.
  handle: async (call, { drives }: DriveServices) => {
    const { project, name } = call;
    const query = readListQuery(call);
    const { order, contains } = query;
    if (readBoolean(call, 'folders', false)) {
      if (order !== undefined || contains !== '' || !query.recursive) {
        const rule = 'must not be given together with order, contains or recursive';
        throw badField('folders', 'contradiction', rule);
      }
      return jsonText(200, pageText(await drives.listFolders(project, name, query)));
    }
    const page =
      order === undefined && contains === ''
        ? await drives.list(project, name, query)
        : await drives.listOrdered(project, name, query, () => call.isAbandoned);
    return jsonText(200, pageText(page));
  },
});

function readListQuery(call: Call): Omit<OrderedListQuery, 'nowSeconds'> {
  return {
    within: call.grant.prefix,
    ...readNamesPage(call),
    recursive: readBoolean(call, 'recursive', true),
    details: readBoolean(call, 'details', false),
    order: readOrder(call),
    contains: readNamePart(call, 'contains'),
  };
}

function readOrder({ query }: Call): OrderName | undefined {
  const given = query.get('order');
  if (given === undefined || given === '') return undefined;
  const order = orderNames.find((name) => name === given);
  if (order === undefined)
    throw badField('order', 'invalid_value', `must be one of ${orderNames.join(', ')}`);
  return order;
}

const comma = Buffer.from(',');

/** `paging` is present only if more names follow, and `files` only with `details` (docs/http.md#list-files). */
function pageText({ names, files, more, last = names.at(-1) }: ListPage): Buffer | string {
  const paging = more && last !== undefined && { paging: { size: names.length, last } };
  const text = JSON.stringify({ ...paging, names });
  if (files === undefined) return text;
  const pieces = files.flatMap((piece, index) => (index === 0 ? piece : [comma, piece]));
  return Buffer.concat([Buffer.from(`${text.slice(0, -1)},"files":[`), ...pieces, Buffer.from(']}')]);
}
