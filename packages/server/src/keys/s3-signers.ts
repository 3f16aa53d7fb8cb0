import type { Grant } from '../access/grant.js';
import type { Clock } from '../lib/clock.js';
import type { AcceptedKey } from './check/accepted-keys.js';
import { s3CredentialsOf } from './s3-credentials.js';

/** Who signs requests with the S3 credentials of a key. */
export interface S3Signer {
  readonly grant: Grant;
  /** Notes that the key was used. */
  readonly noteUse: () => void;
}

export interface SignerWithSecret {
  readonly signer: S3Signer;
  readonly secret: string;
}

/** Makes the signer of a key with this id. */
export function createS3Signers(clock: Clock): (keyId: string, key: AcceptedKey) => SignerWithSecret {
  /** Derived once: every request of an S3 client needs one. */
  const secrets = new WeakMap<AcceptedKey, string>();
  return (keyId, key) => {
    const noteUse = () => {
      key.lastUsedMs = clock();
    };
    let secret = secrets.get(key);
    if (secret === undefined) {
      secret = s3CredentialsOf(keyId, key.sha256).secretAccessKey;
      secrets.set(key, secret);
    }
    return { signer: { grant: key.grant, noteUse }, secret };
  };
}
