// The logos of partners, as the checkout shows them (decision 144).

export interface PartnerLogos {
  /**
   * The PNG; undefined if no partner of this environment has a logo with that id.
   * @param logoId a UUID
   * @throws DomainError `unavailable`
   */
  read(logoId: string): Promise<Buffer | undefined>;
}
