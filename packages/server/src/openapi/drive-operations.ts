import {
  bytesContent,
  conditionsOfWrite,
  count,
  failures,
  header,
  jsonAnswer,
  jsonBody,
  list,
  object,
  pageParameters,
  pageTooLarge,
  pathParameter,
  query,
  ref,
  required,
  seconds,
  secondsAhead,
  text,
} from './parts.js';
import type { Parameter, Paths, Responses } from './types.js';

const tags = ['Files'];
const uploadTags = ['Uploads'];
const name = required(query('name', 'The name of the file'));
const expiry = [
  query('expires', 'The second from which on the file is gone', seconds),
  query('expires_in', 'Or for how many seconds it is kept, from when it is stored', secondsAhead),
];
const uploadId = pathParameter('upload_id', 'The id of the upload');
const truth = { enum: ['true', 'false', ''] } as const;

/** The headers with which a client asks for a part of a file, or only for a changed one. */
export const readHeaders: readonly Parameter[] = [
  header('Range', 'Only these bytes: `bytes=0-99`'),
  header('If-Range', 'The range counts only for this ETag or time'),
  header('If-None-Match', '304 if the file has one of these ETags'),
  header('If-Modified-Since', '304 if the file is not newer'),
  header('If-Match', '412 unless the file has one of these ETags'),
  header('If-Unmodified-Since', '412 if the file is newer'),
];

/** The answers of a download (docs/http.md#download-file). */
export const fileAnswers: Responses = {
  200: { description: 'The file', content: bytesContent },
  206: { description: 'One or several ranges of it', content: bytesContent },
  304: { description: 'The client has the current file' },
  ...failures(404, 412),
  416: jsonAnswer('No range is within the file', ref('Errors')),
};

const anyBytes = { required: false, content: bytesContent };

/** The operations on files (docs/http.md#file-api), by their paths below a drive. */
export const drivePaths: Paths = {
  '/files': {
    post: {
      operationId: 'putFile',
      summary: 'Put a file',
      tags,
      parameters: [name, ...expiry, ...conditionsOfWrite],
      requestBody: { ...anyBytes, description: 'The bytes, at most 10 MiB. The type is stored' },
      responses: {
        201: jsonAnswer('The file is stored', ref('StoredFile')),
        ...failures(412),
        ...pageTooLarge,
      },
    },
    get: {
      operationId: 'listFiles',
      summary: 'List files',
      tags,
      parameters: [
        ...pageParameters,
        query('prefix', 'Only names that begin with this'),
        query('recursive', '`false`: cut names after the first `/` behind the prefix', truth),
        query('details', '`true`: size, type, time and ETag too', truth),
      ],
      responses: { 200: jsonAnswer('A page of names', ref('FileList')) },
    },
    patch: {
      operationId: 'changeFile',
      summary: 'Change what is known of a file',
      tags,
      parameters: [name],
      requestBody: jsonBody(ref('FileChange')),
      responses: {
        200: jsonAnswer('Its details', ref('FileDetails')),
        ...failures(404, 415),
        ...pageTooLarge,
      },
    },
    delete: {
      operationId: 'deleteFiles',
      summary: 'Delete files',
      description: 'The named files, or with `all=true` every file of the drive.',
      tags,
      parameters: [query('all', '`true`: all files; the body is ignored', truth)],
      requestBody: jsonBody(object({ names: list(text, { minItems: 1, maxItems: 1000 }) }), false),
      responses: {
        200: jsonAnswer('What is gone', {
          anyOf: [
            object({ deleted: list(text), failed: { type: 'object', additionalProperties: text } }),
            ref('Deleted'),
          ],
        }),
        ...failures(415),
        ...pageTooLarge,
      },
    },
  },
  '/files/download': {
    get: {
      operationId: 'downloadFile',
      summary: 'Download a file',
      tags,
      parameters: [name, ...readHeaders],
      responses: fileAnswers,
    },
  },
  '/files/move': {
    post: {
      operationId: 'moveFiles',
      summary: 'Move files',
      tags,
      requestBody: jsonBody(ref('Transfer')),
      responses: {
        200: jsonAnswer('How many were moved', object({ moved: count })),
        ...failures(404, 409, 415),
        ...pageTooLarge,
      },
    },
  },
  '/files/copy': {
    post: {
      operationId: 'copyFiles',
      summary: 'Copy files',
      tags,
      requestBody: jsonBody(ref('Transfer')),
      responses: {
        200: jsonAnswer('How many were copied', object({ copied: count })),
        ...failures(404, 409, 415),
        ...pageTooLarge,
      },
    },
  },
  '/uploads': {
    get: {
      operationId: 'listUploads',
      summary: 'List open uploads',
      tags: uploadTags,
      parameters: pageParameters,
      responses: {
        200: jsonAnswer(
          'A page of uploads',
          object({ paging: ref('Paging'), uploads: list(object({ upload_id: text, name: text })) }, [
            'uploads',
          ]),
        ),
      },
    },
    post: {
      operationId: 'initializeUpload',
      summary: 'Open a chunked upload',
      tags: uploadTags,
      parameters: [name, ...expiry, header('Content-Type', 'The type of the file')],
      responses: { 202: jsonAnswer('The open upload', ref('Upload')) },
    },
  },
  '/uploads/{upload_id}': {
    get: {
      operationId: 'getUpload',
      summary: 'List the parts of an upload',
      tags: uploadTags,
      parameters: [uploadId, name],
      responses: {
        200: jsonAnswer(
          'Its parts',
          object({ upload_id: text, name: text, parts: list(object({ part: count, size: count })) }),
        ),
        ...failures(404),
      },
    },
    patch: {
      operationId: 'endUpload',
      summary: 'Make the parts of an upload a file',
      tags: uploadTags,
      parameters: [uploadId, name, ...conditionsOfWrite],
      responses: { 200: jsonAnswer('The file is stored', ref('Upload')), ...failures(404, 412) },
    },
    delete: {
      operationId: 'abortUpload',
      summary: 'Drop an upload',
      tags: uploadTags,
      parameters: [uploadId, name],
      responses: { 200: jsonAnswer('It is gone', ref('Upload')), ...failures(404) },
    },
  },
  '/uploads/{upload_id}/parts': {
    post: {
      operationId: 'uploadPart',
      summary: 'Upload a part',
      tags: uploadTags,
      parameters: [
        uploadId,
        name,
        required(query('part', 'Its number', { type: 'integer', minimum: 1, maximum: 10_000 })),
      ],
      requestBody: {
        ...anyBytes,
        description: 'The bytes, at most 10 MiB, at least 5 MiB but for the last part',
      },
      responses: {
        200: jsonAnswer('The part is stored', ref('UploadedPart')),
        ...failures(404),
        ...pageTooLarge,
      },
    },
  },
};
