import type { CallToolResult } from '@modelcontextprotocol/server';
import type { BasedriveError } from '#client';

/** A result that is one text. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** A result of names and small numbers: JSON for programs, and the same as text for models. */
export function structuredResult(value: Record<string, unknown>): CallToolResult {
  return { ...textResult(JSON.stringify(value)), structuredContent: value };
}

/** A failure that the model reads. */
export function failedResult(message: string): CallToolResult {
  return { ...textResult(message), isError: true };
}

/** The result for an error of the client library: the words of the service, and the status if there is one. */
export function failureOf(error: BasedriveError): CallToolResult {
  const { message, status, code } = error;
  return failedResult(status === 0 ? `${message} (${code})` : `${message} (${code}, status ${status})`);
}
