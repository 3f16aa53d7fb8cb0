import { json } from '../../http/answers/answer.js';
import { objectOf, refuseOthers, textOf } from '../../http/requests/bodies/members.js';
import type { Call } from '../../http/requests/call.js';
import { jsonAnswer, jsonBody, operation } from '../../http/routing/operation.js';
import { closed, described, named, nullable, object, text } from '../../json/schema.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { durationMs, durationText } from '../../lib/text/duration.js';
import { broken, forbidden } from '../../request-error.js';
import { readBody } from '../json-body.js';
import { maxChangesBodyBytes, maxTrashSeconds } from '../limits.js';
import { jsonBodyOf } from '../request-body.js';
import type { DriveServices } from '../service.js';

const SettingsRequest = named(
  'SettingsRequest',
  closed({
    trash: described(
      nullable(text),
      'How long deleted and overwritten files can come back: `30d`; `0s`: not at all; null: as the server is set',
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
        object({ trash: described(nullable(text), 'How long the trash keeps files; null: there is none') }),
      ),
    ),
  },
} as const;

export const getSettings = operation({
  ...ofSettings,
  method: 'GET',
  access: 'read',
  summary: 'Get the settings of a drive',
  handle: async (call, { drives }: DriveServices) => {
    requireDrive(call);
    return answer(await drives.trash.seconds(call.project, call.name));
  },
});

export const setSettings = operation({
  ...ofSettings,
  method: 'PUT',
  access: 'full',
  summary: 'Set the settings of a drive',
  request: jsonBody(SettingsRequest, { tooLarge: 'page' }),
  failures: [409],
  handle: async (call, { drives }: DriveServices) => {
    const { project, name } = call;
    requireDrive(call);
    const trash = await jsonBodyOf(call, maxChangesBodyBytes, readSettingsBody);
    await drives.trash.set(project, name, trash);
    return answer(await drives.trash.seconds(project, name));
  },
});

/** The path is also that of a base. */
function requireDrive({ grant, name }: Call): void {
  if (!grant.drives.has(name)) throw forbidden('beyond_scope', 'the drive is beyond the scope of the key');
}

function answer(seconds: number) {
  return json(200, { trash: seconds === 0 ? null : durationText(seconds * 1000) });
}

/** Gives whole seconds, or null. Throws the 400 `RequestError` that names the member that breaks a rule. */
function* readSettingsBody(body: Buffer): Steps<number | null> {
  const value = objectOf(yield* readBody(body));
  refuseOthers(value, SettingsRequest);
  const trash = value.get('trash');
  if (trash === null) return null;
  const rule = 'must be a time such as 12h or 30d, or null';
  return Math.ceil((durationMs(textOf(trash, 'trash', trashProblem, rule)) ?? 0) / 1000);
}

function trashProblem(text: string) {
  const ms = durationMs(text);
  if (ms === undefined) return broken('invalid_value', 'must be a time such as 12h or 30d, or null');
  return ms > maxTrashSeconds * 1000 ? broken('out_of_range', 'must be at most 3650d') : undefined;
}
