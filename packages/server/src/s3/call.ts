import type { Grant } from '../access/grant.js';
import type { DriveService } from '../drive/service.js';
import type { ItemStore } from '../engines/item-store.js';
import type { Answer } from '../http/requests/call.js';
import type { Exchange } from '../http/requests/exchange.js';
import type { Clock } from '../lib/clock.js';
import type { Payload } from './bodies/payload.js';
import type { S3Request } from './request.js';
import type { Authorization } from './signature/authorization.js';
import type { SigningKey } from './signature/signing-key.js';

/** What the operations of S3 work with. */
export interface S3Services {
  readonly drives: DriveService;
  readonly items: Pick<ItemStore, 'spaces'>;
  readonly clock: Clock;
}

/** A request whose signature and rights were checked. */
export interface S3Call extends S3Services {
  readonly exchange: Exchange;
  readonly request: S3Request;
  readonly grant: Grant;
  readonly project: string;
  readonly bucket: string;
  readonly key: string;
  readonly payload: Payload;
  /** What signs the chunks of the body; undefined for a form. */
  readonly signer: { readonly key: SigningKey; readonly authorization: Authorization } | undefined;
}

export type S3Handler = (call: S3Call) => Answer | Promise<Answer>;
