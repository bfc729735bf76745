import { Tabs } from '@mantine/core';

interface TabListProps {
  /** Labels by the values of the tabs. */
  readonly tabs: Readonly<Record<string, string>>;
}

/** The tabs of a screen. */
export const TabList = ({ tabs }: TabListProps) => (
  <Tabs.List mb="md">
    {Object.entries(tabs).map(([value, label]) => (
      <Tabs.Tab key={value} value={value}>
        {label}
      </Tabs.Tab>
    ))}
  </Tabs.List>
);
