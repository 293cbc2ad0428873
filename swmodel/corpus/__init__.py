# SPDX-License-Identifier: Apache-2.0
"""What tests feed the codec: values of every kind, odd streams, and damaged ones."""
