import { derived } from './check/accepted-keys.js';

/** What S3 clients are configured with. */
export type S3Credentials = ReturnType<typeof s3CredentialsOf>;

const idBegin = 'BDRV';
const secretCharacters = 40;

/**
 * The S3 credentials that belong to a key. SigV4 needs a secret that both sides know: it is derived from the hash that
 * is stored, so it ends with the key, and nothing of it is stored (docs/security.md says what the rows give away).
 */
export function s3CredentialsOf(keyId: string, sha256: string) {
  return {
    accessKeyId: `${idBegin}${keyId.toUpperCase()}`,
    secretAccessKey: derived(sha256, 's3').toString('base64url').slice(0, secretCharacters),
  };
}

/** The id of the key whose access key id this may be. */
export function keyIdOf(accessKeyId: string): string | undefined {
  const id = accessKeyId.slice(idBegin.length);
  return accessKeyId.startsWith(idBegin) && id === id.toUpperCase() ? id.toLowerCase() : undefined;
}
