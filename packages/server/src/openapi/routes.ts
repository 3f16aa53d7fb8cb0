import { jsonText } from '../http/answer.js';
import type { Answer, RouteTable } from '../http/call.js';
import { openApiDocument } from './document.js';

/** The route of docs/http.md#openapi. The document is made at the first request. */
export function openApiRoutes(): RouteTable {
  let answer: Answer | undefined;
  return {
    '/openapi.json': {
      GET() {
        answer ??= jsonText(200, Buffer.from(JSON.stringify(openApiDocument())));
        return answer;
      },
    },
  };
}
