import { count, seconds } from '../http/routing/operation.js';
import { described, integer, list, named, object, oneOf, optional, record, text } from '../json/schema.js';
import { maxParts } from './limits.js';
import { checksumAlgorithms } from './rows.js';

/** What the bodies of the file API are made of (docs/http.md#file-api). */

const owners = { project_id: text, drive_name: text };

export const StoredFile = named('PutFileResponse', object({ name: text, ...owners }));

export const Upload = named('UploadResponse', object({ name: text, upload_id: text, ...owners }));

const Part = object({ part: count, size: count });
export const UploadParts = object({
  upload_id: text,
  name: text,
  parts: list(Part, { description: 'In the order of their numbers' }),
});

export const UploadedPart = named(
  'UploadPartResponse',
  object({
    name: text,
    upload_id: text,
    part: integer({ minimum: 1, maximum: maxParts }),
    ...owners,
  }),
);

const size = described(count, 'Bytes');
const modified = described(seconds, 'When the bytes were written: whole seconds since 1970 UTC');
const etag = described(text, 'The value of the header `ETag`, with its quotes');
const expires = optional(
  described(
    seconds,
    'Whole seconds since 1970 UTC. From then on the file no longer exists. Absent: it does not expire',
  ),
);

const metadata = optional(described(record(text), 'What a program has noted of the file. Absent: nothing'));

const headers = optional(described(record(text), 'The headers that were given with the bytes. Absent: none'));
const md5 = optional(
  described(
    text,
    'The MD5 of the bytes, 32 hexadecimal digits; of a file of S3 parts that of their MD5s, `-`, and their number. Absent: unknown',
  ),
);
const checksum = optional(
  described(
    object({ algorithm: oneOf(...checksumAlgorithms), value: text }),
    'The checksum that an S3 client gave, as base64; that of the checksums of parts ends in `-` and their number',
  ),
);
const noted = { metadata, headers, md5, checksum };

/** The details of a file. */
export const DetailedFile = object({
  name: text,
  size,
  content_type: text,
  modified,
  etag,
  expires,
  ...noted,
});

/** The parts of a file. */
export const FileParts = named(
  'FileParts',
  object({
    name: text,
    etag,
    parts: list(object({ size, checksum }), { description: 'In their order' }),
  }),
);

/** A file in the trash. */
export const TrashedFile = named(
  'TrashedFile',
  object({
    id: described(text, 'With which it comes back'),
    ...DetailedFile.properties,
    expires: described(seconds, 'From when on it can not come back: whole seconds since 1970 UTC'),
    deleted: described(seconds, 'When it was deleted or overwritten: whole seconds since 1970 UTC'),
    ...noted,
  }),
);

export const FileDetails = named(
  'FileDetails',
  object(
    {
      name: text,
      size: optional(size),
      content_type: optional(text),
      modified: optional(modified),
      etag: optional(etag),
      expires,
      ...noted,
    },
    { description: 'What List Files says of a file. Of a directory, only the name is present' },
  ),
);
