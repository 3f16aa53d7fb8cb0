import type { Content } from '../http/routing/operation.js';
import type { ListedOperation } from '../http/routing/operation-groups.js';
import { named, naming } from '../json/schema.js';

/** Gives the bodies of an operation that have no name of their own the names `GetItemRequest`, `GetItemResponse`. */
export function withNamedBodies(operation: ListedOperation): ListedOperation {
  const { id, request, answers } = operation;
  const name = id.charAt(0).toUpperCase() + id.slice(1);
  return {
    ...operation,
    ...(request && { request: { ...request, content: withNames(request.content, `${name}Request`) } }),
    answers: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [
        status,
        answer.content === undefined
          ? answer
          : { ...answer, content: withNames(answer.content, `${name}Response`) },
      ]),
    ),
  };
}

function withNames(content: Content, name: string): Content {
  const entries = Object.entries(content).map(([type, { schema }]) => {
    const isNamed = type !== 'application/json' || schema[naming] !== undefined;
    return [type, { schema: isNamed ? schema : named(name, schema) }];
  });
  return Object.fromEntries(entries);
}
