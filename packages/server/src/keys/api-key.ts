import { randomInt } from 'node:crypto';

const projectRule = /^[A-Za-z0-9-]{1,64}$/;
const secretRule = /^[\x21-\x2b\x2d-\x7e]{1,512}$/;
const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** 32 × log2(62) = 190 random bits. */
const secretLength = 32;
const randomProjectLength = 8;

/** What breaks the rule of project names, as a sentence, or undefined. */
export function checkProject(project: string): string | undefined {
  return projectRule.test(project) ? undefined : 'a project has 1 to 64 letters, digits and hyphens';
}

/** A new key, `{project}_{secret}`, "with exactly one `_`, the secret at least 160 random bits in letters and digits". */
export function newApiKey(project: string): string {
  return `${project}_${randomLetters(lettersAndDigits, secretLength)}`;
}

/** A project for those who named none. */
export function newProject(): string {
  return randomLetters('abcdefghijkmnpqrstuvwxyz', randomProjectLength);
}

/** An id of a key: says nothing about the key. */
export function newKeyId(): string {
  return randomLetters(lettersAndDigits.slice(26), 12);
}

/** "`{project}` is what stands before the first `_`" */
export function projectOf(apiKey: string): string {
  return apiKey.slice(0, apiKey.indexOf('_'));
}

/** What makes a key that an operator chose unusable, as a sentence, or undefined. Any length of secret is theirs to choose. */
export function checkOperatorKey(apiKey: string): string | undefined {
  const at = apiKey.indexOf('_');
  if (at === -1) return 'a key is {project}_{secret}';
  const secret = apiKey.slice(at + 1);
  if (!secretRule.test(secret)) return 'the secret behind the first _ has 1 to 512 visible ASCII characters';
  return checkProject(apiKey.slice(0, at));
}

/** `randomInt` is unbiased: every letter is as likely as any other. */
function randomLetters(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
