import { Box, Breadcrumbs, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface PageHeaderProps {
  readonly title: ReactNode;
  /** The screen above this one, for the breadcrumb. */
  readonly parent?: {
    readonly name: string;
    readonly to: '/submissions' | '/suppliers' | '/policies' | '/billing' | '/approvals' | '/data-requests';
  };
  /** Badges and short facts beside the title. */
  readonly children?: ReactNode;
  /** Buttons at the right. */
  readonly actions?: ReactNode;
}

/** Names can be long, and have no space. */
const WRAPPED = { whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 0 } as const;

/** The title of a screen, with its breadcrumb, badges and actions. */
export const PageHeader = ({ title, parent, children, actions }: PageHeaderProps) => (
  <Box component="header" className="page-header" mb="md">
    {parent ? (
      <nav aria-label="Breadcrumb">
        <Breadcrumbs separatorMargin={6} mb={6} styles={{ root: { flexWrap: 'wrap' }, breadcrumb: WRAPPED }}>
          {/* The screen above may have the same path, with other parameters. */}
          <Link to={parent.to} activeOptions={{ exact: true, includeSearch: true }}>
            {parent.name}
          </Link>
          <Text c="dimmed" size="sm" component="span" aria-current="page">
            {title}
          </Text>
        </Breadcrumbs>
      </nav>
    ) : null}
    <Group gap="sm">
      <Title>{title}</Title>
      {children}
      {actions ? (
        <Group gap="xs" ml="auto">
          {actions}
        </Group>
      ) : null}
    </Group>
  </Box>
);
