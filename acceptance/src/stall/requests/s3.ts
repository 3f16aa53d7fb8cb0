import type { Reply } from '../../api.js';
import { type StoredUpload, storedPart } from '../stored-uploads.js';
import { type Count, type HostileRequest, must, type Place } from './hostile-request.js';
import { type SignedOptions, sendSigned } from './signed.js';

const maxXmlBytes = 8 * 1024 * 1024;
const atOnce = 50;

/** Sends a signed request. `path`: below the bucket that is the drive of the place. */
function sendS3({ api, base }: Place, method: string, path: string, options?: SignedOptions): Promise<Reply> {
  return sendSigned(api, method, base.root.slice(base.root.lastIndexOf('/')) + path, options);
}

async function inTurns(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += atOnce) {
    const some = Math.min(atOnce, count - done);
    await Promise.all(Array.from({ length: some }, (_, n) => work(done + n)));
  }
}

/** An upload with so many small parts. Gives its id. */
async function uploadOf(place: Place, parts: number): Promise<string> {
  await must(200, sendS3(place, 'PUT', ''));
  const { text } = await must(200, sendS3(place, 'POST', '/large?uploads='));
  const [, id = ''] = /<UploadId>(.*)<\/UploadId>/.exec(text) ?? [];
  await inTurns(parts, (n) =>
    must(200, sendS3(place, 'PUT', `/large?partNumber=${n + 1}&uploadId=${id}`, { body: 'x' })),
  );
  return id;
}

/** The body that names these parts, all with the same MD5. */
function completed(parts: number, md5: string): string {
  const part = (n: number) => `<Part><PartNumber>${n}</PartNumber><ETag>${md5}</ETag></Part>`;
  const all = Array.from({ length: parts }, (_, n) => part(n + 1)).join('');
  return `<CompleteMultipartUpload>${all}</CompleteMultipartUpload>`;
}

/**
 * Requests of S3 clients: their XML, their lists, and uploads of as many parts as there may be. `nextUpload` gives an open
 * upload with so many parts that can be completed.
 */
export function s3(count: Count, nextUpload?: (parts: number) => StoredUpload): HostileRequest[] {
  const bytes = count(maxXmlBytes - 1024);
  const bucket = (place: Place) => must(200, sendS3(place, 'PUT', ''));
  const deleteObjects = (name: string, xml: () => string): HostileRequest => ({
    name: `S3 DeleteObjects: ${name}`,
    prepare: bucket,
    send: (place) => sendS3(place, 'POST', '/?delete=', { body: xml() }),
  });
  const many = (text: string) => text.repeat(Math.floor(bytes / text.length));
  const uploads = new WeakMap<Place, string>();
  const ofParts = (name: string, most: number, send: (place: Place, id: string) => Promise<Reply>) => ({
    name: `S3 ${name}`,
    prepare: async (place: Place) => uploads.set(place, await uploadOf(place, count(most))),
    send: (place: Place) => send(place, uploads.get(place) as string),
  });
  return [
    deleteObjects('1,000 long keys', () => {
      const key = (n: number) => `<Object><Key>${n}${'k'.repeat(1000)}</Key></Object>`;
      return `<Delete>${Array.from({ length: count(1000) }, (_, n) => key(n)).join('')}</Delete>`;
    }),
    deleteObjects('empty elements', () => `<Delete>${many('<a/>')}</Delete>`),
    deleteObjects('elements in elements', () => `<Delete>${many('<a>')}`),
    deleteObjects('references', () => `<Delete><Object><Key>${many('&amp;')}</Key></Object></Delete>`),
    deleteObjects(
      'an entity that grows',
      () => `<!DOCTYPE d [<!ENTITY a "${many('a')}">]><Delete>&a;&a;</Delete>`,
    ),
    deleteObjects('a long attribute', () => `<Delete a="${many('a')}"/>`),
    deleteObjects('many attributes', () => `<Delete ${many('aa="" ')}/>`),
    deleteObjects('a long comment', () => `<Delete><!--${many('- ')}--></Delete>`),
    deleteObjects('a long name', () => `<${many('a')}/>`),
    deleteObjects('no XML', () => many('< ')),
    ofParts('CompleteMultipartUpload of 10,000 parts that are too small', 10_000, (place, id) =>
      sendS3(place, 'POST', `/large?uploadId=${id}`, {
        body: completed(count(10_000), '9dd4e461268c8034f5c8564e155c67a6'),
      }),
    ),
    ...(nextUpload === undefined
      ? []
      : [
          {
            name: 'S3 CompleteMultipartUpload of 10,000 parts of 5 MiB',
            send: ({ api }: Place) => {
              const { bucket, uploadId, count: parts } = nextUpload(count(10_000));
              const body = completed(parts, storedPart.md5);
              return must(200, sendSigned(api, 'POST', `/${bucket}/large?uploadId=${uploadId}`, { body }));
            },
          },
        ]),
    ofParts('ListParts of 10,000', 10_000, (place, id) => sendS3(place, 'GET', `/large?uploadId=${id}`)),
    {
      name: 'S3 ListMultipartUploads of 5,000',
      prepare: async (place) => {
        await bucket(place);
        await inTurns(count(5000), (n) => must(200, sendS3(place, 'POST', `/${n}?uploads=`)));
      },
      send: (place) => sendS3(place, 'GET', '/?uploads=&delimiter=x'),
    },
    ...['delimiter=%2F', 'delimiter=none', 'marker=5&delimiter=9', ''].map(
      (query): HostileRequest => ({
        name: `S3 ListObjects of 5,000: ${query}`,
        prepare: async (place) => {
          await bucket(place);
          await inTurns(count(5000), (n) =>
            must(200, sendS3(place, 'PUT', `/${n % 1000}/${n}`, { body: '' })),
          );
        },
        send: (place) => sendS3(place, 'GET', `/?${query}`),
      }),
    ),
    {
      name: 'S3 GET: a query of many parameters',
      prepare: bucket,
      send: (place) => sendS3(place, 'GET', `/?${'a&'.repeat(count(3000))}`),
    },
    {
      name: 'S3 PUT: a presigned URL with much metadata',
      prepare: bucket,
      send: (place) => {
        const metadata = Array.from({ length: count(1800) }, (_, n) => `x-amz-meta-${n}=`);
        return sendS3(place, 'PUT', `/a?${metadata.join('&')}`, { body: '', isPresigned: true });
      },
    },
  ];
}
