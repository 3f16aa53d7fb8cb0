import { type CallOptions, type Endpoint, parametersOf, segment } from '../http/endpoint.js';
import { invalid } from '../http/error.js';
import { writeJson } from '../http/json.js';
import { batchesOf, listOf } from '../http/list-of.js';
import { type Call, eachListed, type UsualCall } from '../http/request.js';
import type {
  CreateLinksRequest,
  CreateLinksResponse,
  FileLink,
  ListedFileLink,
  PublicPrefixesRequest,
  PublicPrefixesResponse,
} from '../http-types.js';

interface AnyLinkOptions extends CallOptions {
  /** Seconds for which the link is valid: up to 604,800, which are seven days, or what the operator allows. */
  readonly expireIn: number;
  /** Whether `listLinks` gives the link and `endLink` ends it; default false. */
  readonly listed?: boolean | undefined;
}

export interface LinkOptions extends AnyLinkOptions {
  /** `attachment`: a browser saves the file. Default `inline`: it shows the file. */
  readonly disposition?: 'inline' | 'attachment' | undefined;
}

export interface UploadLinkOptions extends AnyLinkOptions {
  /** Whether the file may be sent in parts (docs/http.md#links-for-parts), for which `maxBytes` is required. Default false. */
  readonly parts?: boolean | undefined;
  /** The maximum size of the file; default 10 MiB, which is the most without `parts`. */
  readonly maxBytes?: number | undefined;
  /** The type that the file must have, `image/png` or `image/*`; default: any. */
  readonly contentType?: string | undefined;
  /** Whether an existing file is replaced; default false. */
  readonly overwrite?: boolean | undefined;
}

export interface ListLinksOptions extends CallOptions {
  /** Only links of files whose names begin with this text. */
  readonly prefix?: string | undefined;
}

export interface PublishOptions extends CallOptions {
  /** Seconds for which caches may keep a public file; default 60. */
  readonly maxAge?: number | undefined;
}

/** The calls of a drive that share its files with people who have no key (docs/http.md#sharing). */
export interface Sharing {
  /**
   * Makes a link with which a file can be read without a key (docs/http.md#create-links). The file need not exist yet.
   * @throws code `forbidden` if the key may not make links
   * @example const { url } = await photos.link('cat.png', { expireIn: 3600 });
   */
  link(name: string, options: LinkOptions): Promise<FileLink>;

  /** Makes a link for each of any number of files, in their order, a thousand per request. */
  links(names: Iterable<string>, options: LinkOptions): Promise<FileLink[]>;

  /**
   * Makes a link with which a file can be stored without a key, by a `POST` of its bytes (docs/http.md#links).
   * @throws code `forbidden` if the key may not make links
   * @example const { url } = await photos.uploadLink('in/dog.png', { expireIn: 600, contentType: 'image/*' });
   */
  uploadLink(name: string, options: UploadLinkOptions): Promise<FileLink>;

  /** Makes such a link for each of any number of files, in their order, a thousand per request. */
  uploadLinks(names: Iterable<string>, options: UploadLinkOptions): Promise<FileLink[]>;

  /**
   * Iterates over the links that were made with `listed` and still work, the newest first (docs/http.md#list-links).
   * @throws code `forbidden` if the key may not make links
   */
  listLinks(options?: ListLinksOptions): AsyncGenerator<ListedFileLink, void, undefined>;

  /**
   * Ends a listed link at once (docs/http.md#end-link).
   * @throws code `not_found` if the drive lists no link with this id
   */
  endLink(id: string, options?: CallOptions): Promise<void>;

  /**
   * Makes all files public whose names begin with one of these prefixes, and no others (docs/http.md#public-prefixes).
   * Each prefix ends in `/`. An empty list withdraws all of them.
   * @example await photos.publish(['site/'], { maxAge: 3600 });
   */
  publish(prefixes: Iterable<string>, options?: PublishOptions): Promise<PublicPrefixesResponse>;

  /** Reads the public prefixes of the drive. */
  published(options?: CallOptions): Promise<PublicPrefixesResponse>;

  /**
   * The address of a file for everyone, if it is public (docs/http.md#public-files). It sends no request.
   * @example image.src = photos.publicUrl('site/cat.png');
   */
  publicUrl(name: string): string;
}

type Send = <T>(call: UsualCall, options: CallOptions) => Promise<T>;

/** Makes these calls of a drive. */
export function openSharing(endpoint: Endpoint, send: Send): Sharing {
  const post = async <T>(call: Pick<Call, 'method' | 'path'>, request: object, options: CallOptions) =>
    await send<T>({ ...call, body: writeJson(request) }, options);

  async function create(
    names: Iterable<string>,
    request: CreateLinksRequest,
    options: CallOptions,
  ): Promise<FileLink[]> {
    const links: FileLink[] = [];
    for (const some of batchesOf('Names', names)) {
      const call = { method: 'POST', path: '/links' } as const;
      links.push(...(await post<CreateLinksResponse>(call, { ...request, names: some }, options)).links);
    }
    return links;
  }

  const sharing: Sharing = {
    async link(name, options = {} as LinkOptions) {
      const [link] = await sharing.links([name], options);
      return link as FileLink;
    },

    async links(names, { expireIn, listed, disposition, ...options } = {} as LinkOptions) {
      return await create(names, { method: 'GET', expires_in: expireIn, listed, disposition }, options);
    },

    async uploadLink(name, options = {} as UploadLinkOptions) {
      const [link] = await sharing.uploadLinks([name], options);
      return link as FileLink;
    },

    async uploadLinks(
      names,
      { expireIn, listed, maxBytes, parts, contentType, overwrite, ...options } = {} as UploadLinkOptions,
    ) {
      const request = {
        method: 'POST',
        expires_in: expireIn,
        listed,
        max_bytes: maxBytes,
        parts,
        content_type: contentType,
        overwrite,
      } as const;
      return await create(names, request, options);
    },

    listLinks: (options = {}) => eachListed(endpoint, '/links', 'links', options),

    async endLink(id, options = {}) {
      await send({ method: 'DELETE', path: `/links?${parametersOf({ id })}` }, options);
    },

    async publish(prefixes, { maxAge, ...options } = {}) {
      const request: PublicPrefixesRequest = { prefixes: listOf('Prefixes', prefixes), max_age: maxAge };
      return await post({ method: 'PUT', path: '/public' }, request, options);
    },

    published: (options = {}) => send({ method: 'GET', path: '/public' }, options),

    publicUrl(name) {
      if (typeof name !== 'string') throw invalid('Name must be a string');
      const path = name.split('/').map((part) => segment('Name', part));
      return `${endpoint.root.replace(/\/v1\/([^/]+\/[^/]+)$/, '/public/$1')}/${path.join('/')}`;
    },
  };
  return sharing;
}
