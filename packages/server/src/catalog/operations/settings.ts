import type { BaseServices } from '../../base/service.js';
import { maxChangesBodyBytes, maxTrashSeconds } from '../../drive/limits.js';
import { jsonBodyOf, readBody } from '../../drive/request-body.js';
import { isLocation } from '../../drive/rows.js';
import type { DriveServices } from '../../drive/service.js';
import { json } from '../../http/answers/answer.js';
import { flagOf, objectOf, refuseOthers, textOf } from '../../http/requests/bodies/members.js';
import type { Call } from '../../http/requests/call.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { closed, described, named, nullable, object, optional, text, truth } from '../../json/schema.js';
import type { JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { durationMs, durationText } from '../../lib/text/duration.js';
import { broken, forbidden, type RequestError } from '../../request-error.js';

const SettingsRequest = named(
  'SettingsRequest',
  closed({
    trash: optional(
      described(
        nullable(text),
        'How long deleted and overwritten files can come back: `30d`; `0s`: not at all; null: as the server is set',
      ),
    ),
    counted: optional(described(truth, 'Whether each write keeps the number of items in step')),
    kept: optional(described(truth, 'Whether the drive exists also while it has no file')),
    location: optional(
      described(text, 'Where the drive is, such as `eu-west-1`: the region of the bucket. Needs `kept`'),
    ),
  }),
);

const ofSettings = {
  path: '/v1/{project}/{name}/settings',
  section: 'settings',
  answers: {
    200: jsonAnswer(
      'The settings',
      named(
        'SettingsResponse',
        object({
          trash: described(nullable(text), 'How long the trash keeps files; null: there is none'),
          counted: described(truth, 'Whether the base is to be counted, whatever indexes it has'),
          kept: optional(
            described(truth, 'True if the drive exists also while it has no file; absent if not'),
          ),
          location: optional(described(text, 'Where the drive is; absent: nowhere in particular')),
        }),
      ),
    ),
  },
} as const;

type SettingsServices = BaseServices & DriveServices;

export const getSettings = operation({
  ...ofSettings,
  method: 'GET',
  access: 'read',
  summary: 'Get the settings of a base and of the drive of its name',
  handle: async (call, services: SettingsServices) => {
    const { grant, name } = call;
    if (!grant.bases.has(name) && !grant.drives.has(name)) throw beyond('the name');
    return await answer(call, services);
  },
});

export const setSettings = operation({
  ...ofSettings,
  method: 'PUT',
  access: 'full',
  summary: 'Set the settings of a base or of the drive of its name',
  request: jsonBody(SettingsRequest, { tooLarge: 'page' }),
  failures: [409],
  handle: async (call, services: SettingsServices) => {
    const { project, name, grant } = call;
    const { trash, counted, kept, location } = await jsonBodyOf(call, maxChangesBodyBytes, readSettingsBody);
    if ((trash !== undefined || kept !== undefined) && !grant.drives.has(name)) throw beyond('the drive');
    if (counted !== undefined && !grant.bases.has(name)) throw beyond('the base');
    if (trash !== undefined) await services.drives.trash.set(project, name, trash);
    if (counted !== undefined) await services.bases.setCounted(project, name, counted);
    if (location !== undefined) await services.drives.locate(project, name, location);
    else if (kept === true) await services.drives.keep(project, name);
    if (kept === false) await services.drives.release(project, name);
    return await answer(call, services);
  },
});

function beyond(what: string): RequestError {
  return forbidden('beyond_scope', `${what} is beyond the scope of the key`);
}

/** What the key may not see is as if it were not set. */
async function answer({ grant, project, name }: Call, { bases, drives }: SettingsServices) {
  const seconds = grant.drives.has(name) ? await drives.trash.seconds(project, name) : 0;
  const counted = grant.bases.has(name) && (await bases.isCounted(project, name));
  const kept = grant.drives.has(name) && (await drives.isKept(project, name));
  const location = kept ? await drives.locationOf(project, name) : undefined;
  return json(200, {
    trash: seconds === 0 ? null : durationText(seconds * 1000),
    counted,
    ...(kept && { kept }),
    ...(location !== undefined && { location }),
  });
}

interface Settings {
  /** Whole seconds; null: as the server is set. */
  readonly trash: number | null | undefined;
  readonly counted: boolean | undefined;
  readonly kept: boolean | undefined;
  /** Only of a drive that is to be kept. */
  readonly location: string | undefined;
}

/** Throws the 400 `RequestError` that names the member that breaks a rule. */
function* readSettingsBody(body: Buffer): Steps<Settings> {
  const value = objectOf(yield* readBody(body));
  refuseOthers(value, SettingsRequest);
  const flag = (name: string) => {
    const given = value.get(name);
    return given === undefined ? undefined : flagOf(given, name);
  };
  const [counted, kept] = [flag('counted'), flag('kept')];
  const location = value.has('location')
    ? textOf(value.get('location'), 'location', (given) => locationProblem(given, kept))
    : undefined;
  const isAlone = counted === undefined && kept === undefined;
  return {
    trash: value.has('trash') || isAlone ? trashOf(value.get('trash')) : undefined,
    counted,
    kept,
    location,
  };
}

function locationProblem(location: string, kept: boolean | undefined) {
  if (kept !== true) return broken('invalid_value', 'needs "kept": true');
  if (isLocation(location)) return undefined;
  return broken('invalid_value', 'must be 1 to 64 letters, digits and hyphens');
}

function trashOf(trash: JsonValue | undefined): number | null {
  if (trash === null) return null;
  const rule = 'must be a time such as 12h or 30d, or null';
  return Math.ceil((durationMs(textOf(trash, 'trash', trashProblem, rule)) ?? 0) / 1000);
}

function trashProblem(text: string) {
  const ms = durationMs(text);
  if (ms === undefined) return broken('invalid_value', 'must be a time such as 12h or 30d, or null');
  return ms > maxTrashSeconds * 1000 ? broken('out_of_range', 'must be at most 3650d') : undefined;
}
