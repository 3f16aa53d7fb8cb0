/** How often the event loop came round while the work was done. */
export async function turnsDuring(work: () => unknown): Promise<number> {
  let turns = 0;
  let timer = setImmediate(count);
  function count() {
    turns++;
    timer = setImmediate(count);
  }
  try {
    await work();
  } finally {
    clearImmediate(timer);
  }
  return turns;
}
