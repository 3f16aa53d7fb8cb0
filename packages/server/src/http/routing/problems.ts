import { described, list, named, object, oneOf, optional, text } from '../../json/schema.js';
import { type ProblemCode, problemCodes } from '../../problem-codes.js';

const codes = Object.keys(problemCodes) as readonly ProblemCode[];

const Problem = named(
  'Problem',
  object(
    {
      code: named('ProblemCode', described(oneOf(...codes), 'Newer services may have more')),
      path: optional(
        described(text, 'The field at fault: a member of the body, a condition, a parameter or a header'),
      ),
      until: optional(
        described(text, 'Of damaged_data in a list: what comes after this key or name is not lost with it'),
      ),
    },
    { description: 'What is wrong with a request, for programs' },
  ),
);

/** What answers say of what is wrong (docs/http.md#errors). */
export const problemMembers = {
  errors: list(text, { minItems: 1, description: 'For people: each names the field and the rule' }),
  codes: list(Problem, { minItems: 1, description: 'For programs: one for each of `errors`' }),
};
