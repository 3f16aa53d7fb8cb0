import { randomInt } from 'node:crypto';
import { keyIdLength } from './limited/key-id.js';

const projectRule = /^[A-Za-z0-9-]{1,64}$/;
const secretRule = /^[\x21-\x2b\x2d-\x7e]{1,512}$/;
const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** 32 × log2(62) = 190 random bits. */
const secretLength = 32;
const randomProjectLength = 8;

/** What is wrong with a project's name, or undefined. */
export function projectProblem(project: string): string | undefined {
  return projectRule.test(project) ? undefined : 'a project has 1 to 64 letters, digits and hyphens';
}

/** A new key, `{project}_{secret}`: one `_`, and a secret of letters and digits (docs/http.md#keys). */
export function newApiKey(project: string): string {
  return `${project}_${randomLetters(lettersAndDigits, secretLength)}`;
}

/** A new limited key: its id comes before its secret, so that the key is found by it. */
export function newLimitedKey(project: string, id: string): string {
  return `${project}_${id}${randomLetters(lettersAndDigits, secretLength)}`;
}

/** The id that follows the project in a limited key; undefined for a text that is no such key. */
export function idOfLimitedKey(apiKey: string): string | undefined {
  const from = apiKey.indexOf('_') + 1;
  const to = from + keyIdLength;
  return from > 0 && apiKey.length === to + secretLength ? apiKey.slice(from, to) : undefined;
}

/** A random name for the project of a first key. */
export function newProject(): string {
  return randomLetters('abcdefghijkmnpqrstuvwxyz', randomProjectLength);
}

/** A random id for a key. It reveals nothing of the key. */
export function newKeyId(): string {
  return randomLetters(lettersAndDigits.slice(26), 12);
}

/** The project of a key: what is before its first `_` (docs/http.md#keys). */
export function projectOf(apiKey: string): string {
  return apiKey.slice(0, apiKey.indexOf('_'));
}

/** What is wrong with a key that the operator chose, or undefined. The operator chooses how long its secret is. */
export function operatorKeyProblem(apiKey: string): string | undefined {
  const at = apiKey.indexOf('_');
  if (at === -1) return 'a key is {project}_{secret}';
  const secret = apiKey.slice(at + 1);
  if (!secretRule.test(secret))
    return 'the secret after the first _ has 1 to 512 visible ASCII characters, and no comma';
  return projectProblem(apiKey.slice(0, at));
}

/** `randomInt` is unbiased: every character is equally likely. */
function randomLetters(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
