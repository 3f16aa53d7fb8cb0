import type { Grant } from '../access/grant.js';
import type { ProjectGate } from '../access/project-gate.js';
import type { DriveService } from '../drive/service.js';
import type { Clock } from '../lib/clock.js';
import type { ListedLinks } from './listed-links.js';
import type { PublicPrefixStore } from './public-prefixes.js';

/** What the operations of docs/http.md#sharing work with. */
export interface SharingServices {
  readonly drives: Pick<DriveService, 'open' | 'put' | 'keptByWrite' | 'uploads'>;
  readonly prefixes: PublicPrefixStore;
  readonly listedLinks: ListedLinks;
  readonly keys: {
    /** What the key with this id may do now; undefined if it has ended. */
    grantOf(keyId: string): Grant | undefined;
    linkSecret(keyId: string): Buffer | undefined;
    /** Reads the key with this id, so that the others find it; undefined if there is nothing to read. */
    readId(keyId: string): Promise<void> | undefined;
  };
  /** A link names its project only in what is signed. */
  readonly gate: Pick<ProjectGate, 'admit'>;
  /** For how many seconds a link may be valid. */
  readonly maxLinkSeconds: number;
  /** The address of the service for its clients; undefined: that of each request. */
  readonly publicUrl: string | undefined;
  /** Whether the service itself speaks HTTPS. */
  readonly isSecure: boolean;
  readonly clock: Clock;
}

export const linksRoot = '/links';
