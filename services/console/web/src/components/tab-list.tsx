import { Tabs } from '@mantine/core';

interface TabListProps {
  /** Labels by the values of the tabs. */
  readonly tabs: Readonly<Record<string, string>>;
}

/** The tabs of a screen, which scroll on a narrow one. */
export const TabList = ({ tabs }: TabListProps) => (
  <Tabs.List mb="md" style={{ flexWrap: 'nowrap', overflowX: 'auto' }}>
    {Object.entries(tabs).map(([value, label]) => (
      <Tabs.Tab key={value} value={value}>
        {label}
      </Tabs.Tab>
    ))}
  </Tabs.List>
);
