import { json } from '../../http/answers/answer.js';
import { readJsonBody } from '../../http/requests/bodies/json-body.js';
import { objectOf, parseBody, refuseOthers, textOf } from '../../http/requests/bodies/members.js';
import { jsonAnswer, jsonBody, operation, seconds } from '../../http/routing/operation.js';
import type { JsonRules } from '../../json/parse.js';
import { closed, described, object, string, text } from '../../json/schema.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import type { ProjectServices } from '../service.js';

const CreateProjectRequest = closed({
  name: string({ minLength: 1, maxLength: 64, description: 'Letters, digits and hyphens' }),
});

const maxBodyBytes = 4096;
const bodyRules: JsonRules = {
  maxDepth: 10,
  maxValues: 100,
  maxStringCharacters: maxBodyBytes,
  numbers: 'short',
};

export const createProject = operation({
  method: 'POST',
  path: '/admin/projects',
  access: 'operator',
  summary: 'Create a project and its first key',
  request: jsonBody(CreateProjectRequest),
  answers: {
    201: jsonAnswer(
      'The key, which no other answer has',
      object({
        name: text,
        id: described(text, 'The id of the key'),
        key: described(text, 'A key without limits. No other answer has it'),
        created: seconds,
      }),
    ),
  },
  failures: [409, 410],
  handle: async (call, { projects }: ProjectServices) => {
    const name = await call.run(readName(await readJsonBody(call, maxBodyBytes)));
    const { id, key, createdSeconds } = await projects.create(name);
    return json(201, { name, id, key, created: createdSeconds });
  },
});

function* readName(body: Buffer): Steps<string> {
  const value = objectOf(yield* parseBody(body, bodyRules));
  refuseOthers(value, CreateProjectRequest);
  return textOf(value.get('name'), 'name', () => undefined);
}
