import { createHmac, hash } from 'node:crypto';

/** The day, the region and the service for which a key signs: `20260131/us-east-1/s3/aws4_request`. */
export interface Scope {
  readonly date: string;
  readonly region: string;
  readonly text: string;
}

/** The HMAC-SHA256 of a text in hexadecimal digits, a quarter faster than by way of a buffer. */
export function hmacHex(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text, 'latin1').digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'latin1').digest();
}

/** `text` has the bytes of a head: one character a byte. */
export function sha256Of(text: string | Buffer): string {
  return hash('sha256', typeof text === 'string' ? Buffer.from(text, 'latin1') : text, 'hex');
}

/** The SHA-256 of no bytes. */
export const emptySha256 = sha256Of('');

const kept = 1000;

/** Derives the keys with which clients sign for one day: four HMACs, so those of the last clients are kept. */
export function createSigningKeys(): (secret: string, scope: Scope) => Buffer {
  const keys = new Map<string, Buffer>();
  return (secret, { date, region, text }) => {
    const name = `${secret}/${text}`;
    let key = keys.get(name);
    if (key === undefined) {
      key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), 's3'), 'aws4_request');
      const [oldest] = keys.keys();
      if (keys.size >= kept && oldest !== undefined) keys.delete(oldest);
      keys.set(name, key);
    }
    return key;
  };
}
