// One server for the black-box tests and those of the client library: to start one for each file would take longer than
// most of them.

/**
 * Starts the server in memory. Gives the variables that lead tests to it, and `stop`, which gives what is wrong with how
 * it served and ended: nothing, normally.
 */
export async function startSharedServer() {
  const { errorsIn, startServer } = await import('../acceptance/dist/src/server-process.js');
  const { inMemory } = await import('../acceptance/dist/src/target.js');
  // The server for tests, because the others are tested elsewhere: docs/testing.md promises that all tests pass against it.
  const server = await startServer([...inMemory, '--test']);
  return {
    variables: { BASEDRIVE_TEST_SHARED_URL: server.url.href },
    async stop() {
      const code = await server.stop();
      const faults = errorsIn(server.log());
      return code === 0 ? faults : [...faults, `it exited with ${code}`];
    },
  };
}
