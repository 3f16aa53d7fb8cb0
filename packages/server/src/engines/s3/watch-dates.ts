/** Where the middleware of `watchDates` belongs. */
export const atAnswers = { step: 'deserialize', priority: 'low', name: 'watchDates' } as const;

/** A middleware of the SDK that calls `told` with the `Date` of each answer, in milliseconds since 1970. */
export function watchDates(told: (dateMs: number) => void) {
  return <Given, Answer extends { readonly response: unknown }>(next: (args: Given) => Promise<Answer>) =>
    async (args: Given): Promise<Answer> => {
      const answer = await next(args);
      const { headers } = answer.response as { readonly headers: Readonly<Record<string, string>> };
      const dateMs = Date.parse(headers.date ?? '');
      if (!Number.isNaN(dateMs)) told(dateMs);
      return answer;
    };
}
