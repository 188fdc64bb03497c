// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice Lists of words, some of them malformed.
contract LongLists {
    uint256[] private stored;

    /// Adds words to the stored list.
    function store(uint256 number) external {
        for (uint256 i = 0; i < number; i++) stored.push(stored.length + 1);
    }

    function none() external pure returns (uint256[] memory list) {}

    function storedList() external view returns (uint256[] memory) {
        return stored;
    }

    /// 2,000 words from 1 on.
    function long() external pure returns (uint256[] memory list) {
        list = new uint256[](2000);
        for (uint256 i = 0; i < 2000; i++) list[i] = i + 1;
    }

    /// A list that claims one word more than its data have.
    function short() external pure {
        assembly {
            mstore(0x00, 0x20)
            mstore(0x20, 2)
            mstore(0x40, 1)
            return(0x00, 0x60)
        }
    }

    /// A list that claims as many words as a number can say.
    function endless() external pure {
        assembly {
            mstore(0x00, 0x20)
            mstore(0x20, not(0))
            return(0x00, 0x40)
        }
    }

    function number() external pure returns (uint256) {
        return 1;
    }

    function pair() external pure returns (uint256, uint256) {
        return (64, 1);
    }

    function refusing() external pure {
        revert("no list");
    }

    function burning() external pure {
        assembly { invalid() }
    }

    function huge() external pure {
        assembly {
            mstore(0x00, 0x20)
            return(0x00, 0x80020)
        }
    }
}
