/** Waits for an answer while a contender is set up; one of another status is an error. */
export async function must(answering: Promise<Response>, ...statuses: number[]): Promise<void> {
  const answer = await answering;
  const text = await answer.text();
  if (!statuses.includes(answer.status)) throw new Error(`${answer.url}: ${answer.status} ${text}`);
}
