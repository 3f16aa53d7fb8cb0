/** Addresses on which only programs of this machine reach a server. */
const loopbackAddresses: readonly string[] = ['127.0.0.1', '::1', 'localhost'];

/** Whether only programs of this machine reach a server that listens on this address. */
export function isLoopback(host: string): boolean {
  return loopbackAddresses.includes(host);
}
