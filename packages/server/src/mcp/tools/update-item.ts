import { z } from 'zod';
import { util } from '#client';
import { base, key, object, query } from '../arguments.js';
import { structuredResult } from '../results.js';
import { defineTool } from '../tool.js';

const input = z
  .strictObject({
    base,
    key,
    set: object('Attribute paths, each with its new value').optional(),
    increment: object('Attribute paths, each with a number to add').optional(),
    append: object('Attribute paths, each with a list of elements to add at the end').optional(),
    prepend: object('Attribute paths, each with a list of elements to add at the start').optional(),
    delete: z.array(z.string().min(1)).optional().describe('Attribute paths to remove'),
    if: query.optional(),
    upsert: object('The item that is changed if there is none').optional(),
  })
  .superRefine(({ delete: removed = [], set, increment, append, prepend }, { addIssue }) => {
    const seen = new Set<string>();
    const named = Object.entries({ set, increment, append, prepend }).flatMap(([member, paths]) =>
      Object.keys(paths ?? {}).map((path) => [member, path] as const),
    );
    for (const [member, path] of [...named, ...removed.map((path) => ['delete', path] as const)]) {
      if (seen.has(path))
        addIssue({ code: 'custom', path: [member, path], message: 'the path is named twice' });
      seen.add(path);
    }
  });

/** Changes attributes of an item (docs/http.md#update-item). */
export const updateItem = defineTool({
  name: 'update_item',
  title: 'Update an item',
  description:
    'Changes attributes of an existing item, or of the item `upsert` if there is none: all of the changes are made, or none. Other attributes stay as they are. ' +
    'Paths of nested attributes have dots: "home.city". With `if`, it fails unless the item matches that query.',
  reach: 'bases',
  writes: { destructiveHint: true, idempotentHint: false },
  input,
  output: z.object({ key: z.string() }),
  async run(project, given, signal) {
    const { set = {}, increment = {}, append = {}, prepend = {}, delete: removed = [] } = given;
    const made = (paths: object, action: (value: never) => unknown) =>
      Object.entries(paths).map(([path, value]) => [path, action(value as never)] as const);
    // Object.fromEntries, because an assignment would lose the path `__proto__`.
    const updates = Object.fromEntries([
      ...Object.entries(set),
      ...made(increment, util.increment),
      ...made(append, util.append),
      ...made(prepend, util.prepend),
      ...removed.map((path) => [path, util.trim()] as const),
    ]);
    await project.base(given.base).update(updates, given.key, { if: given.if, upsert: given.upsert, signal });
    return structuredResult({ key: given.key });
  },
});
