import type { OperationGroups } from '../http/routing/operation-groups.js';
import { getOpenApiDocument } from './operations/get-document.js';
import { getReference } from './operations/get-reference.js';
import type { OpenApiServices } from './service.js';

/** The operations of docs/http.md#openapi. */
export const openApiOperations: OperationGroups<OpenApiServices> = {
  Service: { getOpenApiDocument, getReference },
};
