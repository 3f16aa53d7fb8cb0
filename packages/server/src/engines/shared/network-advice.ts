/** What the operator can do about a store on a network that is not reached, by the code of the error. */
export const networkAdvice: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there: start it, or correct the host and the port.',
  ENOTFOUND: 'There is no such host: correct the name.',
  EAI_AGAIN: 'Names are not resolved: repair the DNS of this machine, or correct the name.',
  EHOSTUNREACH: 'The network does not reach it: look at routes and firewalls.',
  ENETUNREACH: 'The network does not reach it: look at routes and firewalls.',
  ETIMEDOUT: 'It does not answer: look at firewalls, and whether it is overloaded.',
  TimeoutError: 'It does not answer: look at firewalls, and whether it is overloaded.',
};
