import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Grant, limitedGrant } from '../../access/grant.js';
import { ranks } from '../../access/rights.js';
import { type AcceptedKey, derived } from './accepted-keys.js';
import { readSignedPayload, type SignedPayload } from './signed-payload.js';

/** A signed key in memory: what it was used for last, and how much of its rate is left. */
export interface SignedKey extends AcceptedKey {
  readonly payload: SignedPayload;
}

/** Gives the key with this id, if it is accepted. */
type ParentOf = (keyId: string) => AcceptedKey | undefined;

const form = /^([^_]+)_s\.([\w-]{1,64})\.([\w-]+)\.([\w-]{43})$/;
/** What is computed with when there is no such key or no such form. */
const nobody = { begin: 'nobody', signature: 'A'.repeat(43), secret: randomBytes(32) };
/**
 * Those that were used last are kept, because of their rates. A rate is whole again after a pause, so nothing is lost with
 * one that was not used for long. They take some 10 MB.
 */
const maxKept = 10_000;

/**
 * Keys that are not stored (docs/http.md#signed-keys): `{project}_s.{key id}.{payload}.{signature}`. The payload is the
 * JSON of what the key may do, in base64url. The signature is the HMAC-SHA-256 of all that comes before it, with a secret
 * that belongs to the key that made it. So each is its own record, and ends with that key.
 */
export function signKey(project: string, parent: AcceptedKey, payload: SignedPayload): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  const begin = `${project}_s.${parent.grant.keyId}.${text}`;
  return `${begin}.${signatureOf(begin, secretOf(parent))}`;
}

export function createSignedKeys(parentOf: ParentOf) {
  const kept = new Map<string, SignedKey & { readonly parent: AcceptedKey }>();
  const apiKeys = new Map<string, string>();

  function forget(apiKey: string, { payload }: SignedKey): void {
    kept.delete(apiKey);
    apiKeys.delete(payload.id);
  }

  function read(apiKey: string) {
    const [, project, parentId = '', payload = '', given = nobody.signature] = form.exec(apiKey) ?? [];
    const parent = parentOf(parentId);
    const begin = project === undefined ? nobody.begin : apiKey.slice(0, -given.length - 1);
    const secret = parent === undefined ? nobody.secret : secretOf(parent);
    const isSame = timingSafeEqual(Buffer.from(signatureOf(begin, secret)), Buffer.from(given));
    const mayMake = parent?.grant.rank === ranks['no limit'] && parent.grant.project === project;
    if (!isSame || project === undefined || !mayMake) return undefined;
    const signed = readSignedPayload(Buffer.from(payload, 'base64url').toString());
    return signed && { project, parent, payload: signed };
  }

  return {
    /** The key, if the one that made it is accepted. It takes the same time for all that are not right. */
    find(apiKey: string) {
      const known = kept.get(apiKey);
      if (known !== undefined) {
        // It is the last to be forgotten.
        kept.delete(apiKey);
        kept.set(apiKey, known);
        return known;
      }
      const found = read(apiKey);
      if (found === undefined) return undefined;
      const { project, parent, payload } = found;
      const grant: Grant = {
        ...limitedGrant(payload.id, project, payload.limits),
        isSigned: true,
        // It ends with the key that made it, also when it is not kept here any more and a long request goes on.
        get isDeleted() {
          return parent.grant.isDeleted;
        },
      };
      const key = { grant, sha256: '', lastUsedMs: 0, payload, parent };
      kept.set(apiKey, key);
      apiKeys.set(payload.id, apiKey);
      for (const [oldest, { payload: of }] of kept) {
        if (kept.size <= maxKept) break;
        forget(oldest, { ...key, payload: of });
      }
      return key;
    },

    /** What is known of a signed key that was used lately. */
    payloadOf: (keyId: string) => kept.get(apiKeys.get(keyId) ?? '')?.payload,

    /** Call it when other keys are accepted: those that a deleted key has made have ended. */
    endOrphans() {
      for (const [apiKey, key] of kept) {
        if (key.parent.grant.isDeleted) forget(apiKey, key);
      }
    },
  };
}

function secretOf({ sha256 }: AcceptedKey): Buffer {
  return derived(sha256, 'signed key');
}

function signatureOf(begin: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(begin).digest('base64url');
}
