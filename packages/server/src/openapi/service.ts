import type { ListedOperation } from '../http/routing/operation-groups.js';
import { openApiDocument } from './document.js';
import type { OpenApiDocument } from './types.js';

/** What the operations of docs/http.md#openapi work with. */
export interface OpenApiServices {
  readonly openApi: () => OpenApiDocument;
}

/** The document is made at the first request. */
export function createOpenApi(operations: readonly ListedOperation[]): OpenApiServices['openApi'] {
  let document: OpenApiDocument | undefined;
  return () => {
    document ??= openApiDocument(operations);
    return document;
  };
}

/** A text of the document, which is made once. */
export function textOf(make: (document: OpenApiDocument) => string): (document: OpenApiDocument) => Buffer {
  const texts = new WeakMap<OpenApiDocument, Buffer>();
  return (document) => {
    const text = texts.get(document) ?? Buffer.from(make(document));
    texts.set(document, text);
    return text;
  };
}
