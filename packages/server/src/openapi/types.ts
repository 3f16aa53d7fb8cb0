import type { DescribedAnswer, Parameter, RequestBody } from '../http/routing/operation.js';
import type { Schema } from '../json/schema.js';

/** The part of OpenAPI 3.1 that this service's document uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly object[];
  /** The operations of each path, by the method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
  };
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Omit<RequestBody, 'tooLarge'>;
  readonly responses: Readonly<Record<string, DescribedAnswer | { readonly $ref: string }>>;
  readonly security?: readonly object[];
}
