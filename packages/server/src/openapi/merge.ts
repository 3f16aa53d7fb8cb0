import type { Parameter } from '../http/routing/operation.js';
import type { DescribedOperation } from './types.js';

/**
 * Two operations with the same method and path as one, because OpenAPI has no others: which of them is done depends on a
 * parameter of the query string, or on the type of the body. It has the id of the first.
 */
export function merged(one: DescribedOperation, other: DescribedOperation): DescribedOperation {
  const description = [one.description, other.description].filter((text) => text !== undefined).join(' ');
  return {
    ...one,
    summary: `${one.summary}, or ${inSentence(other.summary)}`,
    ...(description !== '' && { description }),
    parameters: mergedParameters(one.parameters, other.parameters),
    ...mergedBodies(one, other),
    responses: mergedResponses(one.responses, other.responses),
  };
}

/** A parameter that only one of them has is not required. */
function mergedParameters(one: readonly Parameter[], other: readonly Parameter[]): readonly Parameter[] {
  const has = (list: readonly Parameter[], { name, in: location }: Parameter) =>
    list.some((each) => each.name === name && each.in === location);
  const free = ({ required: _, ...parameter }: Parameter): Parameter => parameter;
  return [
    ...one.map((parameter) => (has(other, parameter) ? parameter : free(parameter))),
    ...other.filter((parameter) => !has(one, parameter)).map(free),
  ];
}

function mergedBodies(
  { requestBody: one }: DescribedOperation,
  { requestBody: other }: DescribedOperation,
): Pick<DescribedOperation, 'requestBody'> {
  if (one === undefined && other === undefined) return {};
  if (one === undefined || other === undefined) {
    return { requestBody: { content: {}, ...(one ?? other), required: false } };
  }
  return { requestBody: { ...one, content: { ...one.content, ...other.content } } };
}

type Responses = DescribedOperation['responses'];

function mergedResponses(one: Responses, other: Responses): Responses {
  const responses = { ...other, ...one };
  for (const [status, answer] of Object.entries(one)) {
    const otherAnswer = other[status];
    if (otherAnswer === undefined || '$ref' in answer || '$ref' in otherAnswer) continue;
    const type = 'application/json';
    const [schema, otherSchema] = [answer.content?.[type]?.schema, otherAnswer.content?.[type]?.schema];
    if (schema === undefined || otherSchema === undefined) continue;
    responses[status] = {
      description: `${answer.description}; or ${inSentence(otherAnswer.description)}`,
      content: { [type]: { schema: { anyOf: [schema, otherSchema] } } },
    };
  }
  return responses;
}

function inSentence(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
