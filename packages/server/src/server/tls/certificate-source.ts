/** A certificate with its chain and its private key, both PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateSource {
  /** The certificate at the start. */
  readonly pair: CertificatePair;
  /** The file of the authority that clients must trust, if the server made it. */
  readonly caFile?: string;
  /** Gives a new pair if there is one, else undefined. Rejects if the new one cannot be used. */
  refresh(): Promise<CertificatePair | undefined>;
}
