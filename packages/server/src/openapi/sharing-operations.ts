import { fileAnswers, readHeaders } from './drive-operations.js';
import {
  bytesContent,
  conditionsOfWrite,
  failures,
  jsonAnswer,
  jsonBody,
  pageTooLarge,
  pathParameter,
  ref,
} from './parts.js';
import type { Paths } from './types.js';

const tags = ['Sharing'];

const linkParameters = [
  pathParameter('token', 'What the link allows, signed'),
  pathParameter('file', 'The last part of the name'),
];

/** What a drive shares (docs/http.md#public-prefixes), by the paths below it. */
export const driveSharingPaths: Paths = {
  '/links': {
    post: {
      operationId: 'createLinks',
      summary: 'Create links',
      tags,
      requestBody: jsonBody(ref('NewLinks')),
      responses: { 201: jsonAnswer('The links', ref('Links')), ...failures(413, 415) },
    },
  },
  '/public': {
    get: {
      operationId: 'getPublicPrefixes',
      summary: 'Get the public prefixes of a drive',
      tags,
      responses: { 200: jsonAnswer('The prefixes', ref('PublicPrefixes')) },
    },
    put: {
      operationId: 'setPublicPrefixes',
      summary: 'Set the public prefixes of a drive',
      tags,
      requestBody: jsonBody(ref('NewPublicPrefixes')),
      responses: { 200: jsonAnswer('The prefixes', ref('PublicPrefixes')), ...failures(413, 415) },
    },
  },
};

/** What anyone reads without a key (docs/http.md#public-files). */
export const publicPaths: Paths = {
  '/links/{token}/{file}': {
    get: {
      operationId: 'readLinkedFile',
      summary: 'Download by a link',
      tags,
      parameters: [...linkParameters, ...readHeaders],
      responses: { ...fileAnswers, ...failures(403, 503) },
    },
    post: {
      operationId: 'storeLinkedFile',
      summary: 'Upload by a link',
      tags,
      parameters: [...linkParameters, ...conditionsOfWrite],
      requestBody: { required: false, content: bytesContent },
      responses: {
        201: jsonAnswer('The file is stored', ref('StoredFile')),
        ...failures(403, 409, 412, 415, 503),
        ...pageTooLarge,
      },
    },
  },
  '/public/{project}/{drive}/{path}': {
    get: {
      operationId: 'readPublicFile',
      summary: 'Read a public file',
      description: 'Every `/` of the name may be written as it is.',
      tags,
      parameters: [
        pathParameter('project', 'The project'),
        pathParameter('drive', 'The drive'),
        pathParameter('path', 'The name of the file'),
        ...readHeaders,
      ],
      responses: {
        ...fileAnswers,
        301: { description: 'The same path with a `/`, below which there is an `index.html`' },
        404: {
          description: 'There is no such public file: the `404.html` of the prefix, or errors as JSON',
          content: { '*/*': { schema: {} } },
        },
      },
    },
  },
};
