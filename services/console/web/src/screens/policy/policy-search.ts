const TABS = ['rules', 'changes', 'edit'] as const;
export type PolicyTab = (typeof TABS)[number];

/** The open tab, which is a URL parameter. */
export interface PolicySearch {
  readonly tab?: PolicyTab;
}

export const isPolicyTab = (tab: unknown): tab is PolicyTab => TABS.some((one) => one === tab);

/** Returns the tab that a URL names. Anything else is dropped. */
export const policySearch = ({ tab }: Record<string, unknown>): PolicySearch =>
  isPolicyTab(tab) ? { tab } : {};
