/**
 * What is known of a body before it is read: the members of the outermost object, and how large they may be. A body that
 * breaks these rules is refused as soon as it shows, before it takes the memory that all of it would need.
 */
export interface Outline {
  readonly members: ReadonlyMap<string, MemberOutline>;
  /** Gives the error of a member that is none of them; absent if others are ignored. */
  readonly unknown?: (name: string) => Error;
}

export interface MemberOutline {
  /** The maximum number of elements of the list, or of members of the object; 0 if it is to be neither. */
  readonly most: number;
  /** The maximum number of members of all objects in the list together; absent if it is not limited. */
  readonly mostWithin?: number;
  readonly problem: () => Error;
}

/** Compares a body with its outline while it is read. */
export class OutlineCheck {
  private member: MemberOutline | undefined;
  private count = 0;
  private within = 0;

  constructor(private readonly outline: Outline) {}

  /** A member of the outermost object begins. */
  begin(name: string): void {
    const { members, unknown } = this.outline;
    this.member = members.get(name);
    if (this.member === undefined && unknown !== undefined) throw unknown(name);
    this.count = 0;
    this.within = 0;
  }

  /** An element or a member of it begins. */
  add(): void {
    const { member } = this;
    if (member !== undefined && ++this.count > member.most) throw member.problem();
  }

  /** A member of an object in its list begins. */
  addWithin(): void {
    const { member } = this;
    if (member?.mostWithin !== undefined && ++this.within > member.mostWithin) throw member.problem();
  }
}
