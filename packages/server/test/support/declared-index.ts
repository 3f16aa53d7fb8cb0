/** Stores items in the base `indexed` of project demo and declares an index of `n`, `by-n`. Resolves when it is ready. */
export async function declareIndex(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/v1/demo/indexed/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return await answer.text();
  };
  const items = Array.from({ length: 20 }, (_, n) => ({ key: `k${n}`, n: n % 7 }));
  await send('PUT', 'items', { items });
  await send('PUT', 'indexes/by-n', { fields: ['n'] });
  while (!(await send('GET', 'indexes')).includes('"ready"'));
}

/** Sends a query that the index serves. Throws unless it does. */
export async function askIndex(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const body = JSON.stringify({ query: { n: 3 }, order: ['n'] });
  const answer = await fetch(`${url}/v1/demo/indexed/query`, { method: 'POST', headers, body });
  await answer.text();
  const timing = answer.headers.get('Server-Timing') ?? '';
  if (!timing.includes('by-n')) throw new Error(`It was served otherwise: ${timing}`);
}
