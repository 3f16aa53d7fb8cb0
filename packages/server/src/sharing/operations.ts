import type { OperationGroups } from '../http/routing/operation-groups.js';
import { createLinks } from './operations/create-links.js';
import { readLinkedFile, storeLinkedFile } from './operations/linked-files.js';
import {
  abortLinkedUpload,
  endLinkedUpload,
  getLinkedUpload,
  initializeLinkedUpload,
  uploadLinkedPart,
} from './operations/linked-uploads.js';
import { endLink, listLinks } from './operations/listed-links.js';
import { getPublicPrefixes, setPublicPrefixes } from './operations/public-prefixes.js';
import { readPublicFile } from './operations/read-public-file.js';
import type { SharingServices } from './services.js';

/** The operations of docs/http.md#sharing. */
export const sharingOperations: OperationGroups<SharingServices> = {
  Sharing: {
    createLinks,
    listLinks,
    endLink,
    readLinkedFile,
    storeLinkedFile,
    initializeLinkedUpload,
    uploadLinkedPart,
    endLinkedUpload,
    getLinkedUpload,
    abortLinkedUpload,
    getPublicPrefixes,
    setPublicPrefixes,
    readPublicFile,
  },
};
