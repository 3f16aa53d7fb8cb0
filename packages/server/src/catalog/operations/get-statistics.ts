import { json } from '../../http/answers/answer.js';
import { count, jsonAnswer, operation } from '../../http/routing/operation.js';
import { described, named, object, optional } from '../../json/schema.js';
import type { CatalogServices } from '../service.js';
import { viewOf } from '../view.js';
import { exactness, sizeMembers } from './size-members.js';

const BaseStats = named(
  'BaseStats',
  object({
    items: optional(described(count, 'Absent if nobody has counted them yet')),
    bytes: optional(described(count, 'Of the stored JSON of the items')),
    ...exactness,
  }),
);
const DriveStats = named(
  'DriveStats',
  object({
    files: optional(described(count, 'Absent if nobody has counted them yet')),
    bytes: optional(described(count, 'Of the contents of the files')),
    ...exactness,
    trash_files: optional(described(count, 'In the trash. Absent: none')),
    trash_bytes: optional(described(count, 'Of the contents of the files in the trash. Absent: none')),
  }),
);

export const getStatistics = operation({
  method: 'GET',
  path: '/v1/{project}/{name}/stats',
  access: 'read',
  names: 'narrowed',
  section: 'statistics',
  summary: 'The size of a base and of the drive of its name',
  answers: {
    200: jsonAnswer('Their sizes', named('StatsResponse', object({ base: BaseStats, drive: DriveStats }))),
  },
  failures: [400],
  handle: async (call, { catalog }: CatalogServices) => {
    const { base, drive, trash } = await catalog.stats(call.project, call.name, viewOf(call));
    const exact = drive.exact && trash.exact;
    return json(200, {
      base: sizeMembers(base, 'items'),
      drive: {
        ...sizeMembers({ ...drive, exact }, 'files'),
        ...((trash.rows ?? 0) > 0 && { trash_files: trash.rows, trash_bytes: trash.bytes }),
      },
    });
  },
});
