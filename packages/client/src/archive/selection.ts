/** The bases and drives that an export or import is about; undefined: all of them. */
export interface Selection {
  readonly bases: readonly string[] | undefined;
  readonly drives: readonly string[] | undefined;
}

/** Everything is selected if neither is given, otherwise only what is named. */
export function selectionOf({ bases, drives }: Partial<Selection>): Selection {
  if (bases === undefined && drives === undefined) return { bases: undefined, drives: undefined };
  return { bases: bases ?? [], drives: drives ?? [] };
}
