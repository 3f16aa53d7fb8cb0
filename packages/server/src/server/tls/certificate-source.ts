/** A certificate with its chain and its private key, both PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateSource {
  /** What to serve with at the start. */
  readonly pair: CertificatePair;
  /** The file of the authority that clients must be told to trust, when it is one of our own making. */
  readonly caFile?: string;
  /** Another pair when there is one to change to, else undefined. Rejects when what was found cannot be used. */
  refresh(): Promise<CertificatePair | undefined>;
}
